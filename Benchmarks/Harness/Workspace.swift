internal import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The folder all runs live in, and how programs are run there.
struct Workspace {
  let folder: String
  let syncd: String
  /// The path of this program, whose subcommands are the floors.
  let bench: String
  /// Seconds that any one process may take.
  let patience: Int32 = 600

  /// A fresh, empty folder.
  func makeFolder(_ name: String) throws -> String {
    let path = "\(folder)/\(name)"
    Files.removeFolder(path)
    try Files.makeFolder(path)
    return path
  }

  /// Runs a program to its end, which must be a success, and gives what it wrote.
  @discardableResult
  func output(_ arguments: [String], name: String) throws -> String {
    try complete(arguments, name: name).output
  }

  /// Runs a program that ends with a report, and measures it.
  ///
  /// - Parameter server: whose processor time and peak memory meanwhile are counted.
  func measure(_ arguments: [String], server: ServerProcess, name: String) throws
    -> (sample: Sample, report: RunReport)
  {
    server.figures.forgetPeak()
    let before = server.figures.cpu
    let (output, usage, wasStopped) = try complete(arguments, name: name)
    let report = try RunReport(json: output)
    guard report.outcome == "inSync" else { throw BenchError("\(name): \(output)") }
    return (
      Sample(
        wall: usage.wall, cpu: usage.cpu, serverCPU: server.figures.cpu - before,
        peak: Double(usage.peak), serverPeak: server.figures.peak, requests: report.requests,
        sent: report.sent, received: report.received,
        wasStopped: wasStopped || server.wasStopped),
      report
    )
  }

  /// Runs a program that speaks to no server, and measures it.
  func measure(_ arguments: [String], name: String) throws -> (output: String, sample: Sample) {
    let (output, usage, wasStopped) = try complete(arguments, name: name)
    return (
      output,
      Sample(
        wall: usage.wall, cpu: usage.cpu, peak: Double(usage.peak), wasStopped: wasStopped)
    )
  }

  private func complete(_ arguments: [String], name: String) throws
    -> (output: String, usage: Usage, wasStopped: Bool)
  {
    let (output, errors) = ("\(folder)/\(name).out", "\(folder)/\(name).err")
    let process = try ChildProcess(arguments, output: output, errors: errors)
    let (usage, status) = try process.wait(seconds: patience)
    guard status == 0 else {
      let words = try Files.text(output) + Files.text(errors)
      throw BenchError("\(arguments.joined(separator: " ")): exit \(status)\n\(words)")
    }
    return (try Files.text(output), usage, process.wasStopped)
  }
}

/// The figures of `once --json` that the bench reads.
struct RunReport {
  var outcome = ""
  /// What was written on the remote.
  var appended = 0
  var updated = 0
  var deleted = 0
  /// Records that were updated in the store.
  var pulled = 0
  var requests = 0.0
  var sent = 0.0
  var received = 0.0
  /// The run alone, without the start of the process.
  var seconds = 0.0

  init(json: String) throws {
    let row = try JSONFigures(
      json,
      [
        "outcome", "remote.appended", "remote.updated", "remote.deleted", "local.updated",
        "requests", "bytesSent", "bytesReceived", "seconds",
      ])
    outcome = row.text(0)
    (appended, updated, deleted) = (Int(row[1]), Int(row[2]), Int(row[3]))
    (pulled, requests, sent, received) = (Int(row[4]), row[5], row[6], row[7])
    seconds = row[8]
  }
}

/// Members of a JSON object, read by SQLite.
struct JSONFigures {
  private let texts: [String]

  /// - Parameter paths: of members, with dots between the levels.
  init(_ json: String, _ paths: [String]) throws {
    let reader = try Connection(":memory:")
    let row = try reader.prepare(
      "SELECT " + paths.map { "?1 ->> '$.\($0)'" }.joined(separator: ", "))
    defer { sqlite3_finalize(row) }
    row.bind(json, at: 1)
    guard sqlite3_step(row) == SQLITE_ROW else { throw BenchError("this is no report: \(json)") }
    texts = paths.indices.map { row.text(Int32($0)) }
  }

  func text(_ index: Int) -> String { texts[index] }

  /// A number; 0 where there is none.
  subscript(index: Int) -> Double { Double(texts[index]) ?? 0 }
}
