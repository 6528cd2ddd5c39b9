#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that takes the place of another only when it is whole.
enum ReplacedFile {
  static func write<Value>(
    _ path: String, _ body: (OutputSink) async throws -> Value
  ) async throws -> Value {
    let temporary = path + ".partial"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileContents.Failure(path: path, code: errno) }
    do {
      defer { close(descriptor) }
      let sink = OutputSink(descriptor: descriptor)
      let value = try await body(sink)
      try sink.flush()
      guard fsync(descriptor) == 0 else { throw FileContents.Failure(path: path, code: errno) }
      guard rename(temporary, path) == 0 else {
        throw FileContents.Failure(path: path, code: errno)
      }
      return value
    } catch {
      unlink(temporary)
      throw error
    }
  }
}
