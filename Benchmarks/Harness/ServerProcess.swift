#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A program that stays, and says where it listens: a server of our own on a port that it picked.
final class ServerProcess {
  /// Where the collection is.
  let collection: String
  let figures: ProcessFigures
  private let process: ChildProcess

  /// Starts a program that says "listening on URL" once it does.
  init(_ arguments: [String], log: String) throws {
    process = try ChildProcess(arguments, output: log, errors: log)
    figures = ProcessFigures(pid: process.pid)
    let line = try Self.awaitLine("listening on ", in: log, of: process)
    collection = Self.collection(in: line)
  }

  /// Starts a program that stays and says something once it is ready.
  init(_ arguments: [String], saying words: String, log: String) throws {
    process = try ChildProcess(arguments, output: log, errors: log)
    figures = ProcessFigures(pid: process.pid)
    collection = try Self.awaitLine(words, in: log, of: process)
  }

  private static func awaitLine(
    _ words: String, in log: String, of process: ChildProcess
  ) throws -> String {
    for _ in 0..<2000 {
      let lines = try Files.text(log).split(separator: "\n", omittingEmptySubsequences: false)
      if let line = lines.dropLast().first(where: { $0.contains(words) }) { return String(line) }
      poll(nil, 0, 5)
    }
    throw BenchError("\(process.name) does not say \"\(words)\":\n\(try Files.text(log))")
  }

  private static func collection(in line: String) -> String {
    guard let start = line.firstRange(of: "http://") else { return line }
    let url = line[start.lowerBound...].prefix { $0 != " " && $0 != "\"" }
    let path = url.dropFirst("http://".count).drop { $0 != "/" }
    return path.count > 1
      ? String(url)
      : url.split(separator: "/", omittingEmptySubsequences: false).prefix(3).joined(
        separator: "/") + "/v1/projects"
  }

  /// Whether a signal from outside stopped it for a while.
  var wasStopped: Bool {
    process.lookWhetherStopped()
    return process.wasStopped
  }

  /// Stops it; by force when it does not end by itself.
  func stop() {
    process.signal(SIGTERM)
    _ = try? process.wait(seconds: 30)
  }
}
