#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A server of our own, on a loopback port that it picked.
final class ServerProcess {
  /// Where the collection is.
  let collection: String
  private let process: ChildProcess

  /// Starts a program that says "listening on URL" once it does.
  init(_ arguments: [String], log: String) throws {
    process = try ChildProcess(arguments, output: log, errors: log)
    collection = try Self.awaitCollection(log, of: process)
  }

  private static func awaitCollection(_ log: String, of process: ChildProcess) throws -> String {
    for _ in 0..<2000 {
      let words = try Files.text(log).split(separator: "\n").first { $0.contains("listening on ") }
      if let line = words, let start = line.firstRange(of: "http://") {
        let url = line[start.lowerBound...].prefix { $0 != " " && $0 != "\"" }
        let path = url.dropFirst("http://".count).drop { $0 != "/" }
        return path.count > 1
          ? String(url)
          : url.split(separator: "/", omittingEmptySubsequences: false).prefix(3).joined(
            separator: "/") + "/v1/projects"
      }
      poll(nil, 0, 5)
    }
    throw BenchError("\(process.name) did not say where it listens:\n\(try Files.text(log))")
  }

  /// Whether a signal from outside stopped it for a while.
  var wasStopped: Bool {
    process.lookWhetherStopped()
    return process.wasStopped
  }

  /// Seconds of processor time so far, in the kernel's ticks of 10 ms.
  var cpu: Double {
    guard let stat = try? Files.text("/proc/\(process.pid)/stat"),
      let end = stat.lastIndex(of: ")")
    else { return 0 }
    let fields = stat[stat.index(after: end)...].split(separator: " ")
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      return 0
    }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Stops it; by force when it does not end by itself.
  func stop() {
    process.signal(SIGTERM)
    _ = try? process.wait(seconds: 10)
  }
}
