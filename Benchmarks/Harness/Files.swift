#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The few things that are done with files, without Foundation: it would raise the resident size of
/// this process, below which no child's peak can be seen (see `ChildProcess`).
enum Files {
  static func read(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "r") else { throw BenchError("\(path): \(lastError)") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { break }
      bytes += buffer[..<count]
    }
    guard ferror(file) == 0 else { throw BenchError("\(path): \(lastError)") }
    return bytes
  }

  static func text(_ path: String) throws -> String {
    String(decoding: try read(path), as: UTF8.self)
  }

  static func write(_ text: String, to path: String) throws {
    guard let file = fopen(path, "w") else { throw BenchError("\(path): \(lastError)") }
    let bytes = Array(text.utf8)
    let written = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, written == bytes.count else {
      throw BenchError("\(path): \(lastError)")
    }
  }

  /// Writes into a file that is there, such as one of the kernel's.
  static func overwrite(_ text: String, _ path: String) throws {
    let descriptor = open(path, O_WRONLY)
    guard descriptor >= 0 else { throw BenchError("\(path): \(lastError)") }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    let count = SystemWrite.write(descriptor, bytes)
    guard count == bytes.count else { throw BenchError("\(path): \(lastError)") }
  }

  static func copy(_ source: String, _ target: String) throws {
    guard let input = fopen(source, "r") else { throw BenchError("\(source): \(lastError)") }
    defer { fclose(input) }
    guard let output = fopen(target, "w") else { throw BenchError("\(target): \(lastError)") }
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    var whole = true
    while true {
      let count = fread(&buffer, 1, buffer.count, input)
      if count == 0 { break }
      whole = whole && fwrite(buffer, 1, count, output) == count
    }
    whole = fclose(output) == 0 && whole && ferror(input) == 0
    guard whole else { throw BenchError("\(target): \(lastError)") }
  }

  /// The size of a file in bytes; 0 where there is none.
  static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  static func makeFolder(_ path: String) throws {
    guard mkdir(path, 0o700) == 0 else { throw BenchError("\(path): \(lastError)") }
  }

  /// A new folder of this name's kind, readable by its owner alone.
  static func makeTemporaryFolder(in parent: String) throws -> String {
    var template = Array("\(parent)/syncd-bench.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw BenchError("\(parent): \(lastError)") }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes a folder that the bench made, with all in it; links are not followed.
  static func removeFolder(_ path: String) {
    for name in (try? names(in: path)) ?? [] {
      let child = "\(path)/\(name)"
      if unlink(child) != 0 { removeFolder(child) }
    }
    rmdir(path)
  }

  /// What is in a folder, in no order.
  static func names(in path: String) throws -> [String] {
    guard let folder = opendir(path) else { throw BenchError("\(path): \(lastError)") }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  static var lastError: String { String(cString: strerror(errno)) }
}

/// The system's `write`, which `Files.write` hides.
private enum SystemWrite {
  static func write(_ descriptor: Int32, _ bytes: [UInt8]) -> Int {
    #if canImport(Glibc)
      Glibc.write(descriptor, bytes, bytes.count)
    #else
      Darwin.write(descriptor, bytes, bytes.count)
    #endif
  }
}
