import TestSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The real binary, with a folder of its own for its store and its configuration.
struct Tool: Sendable {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  var store: String { folder.file("projects.db") }

  /// `syncd` as it was built beside the tests, unless `SYNCD_BINARY` names another.
  static let path: String = {
    if let named = ProcessInfo.processInfo.environment["SYNCD_BINARY"] { return named }
    let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    let folder = (program ?? CommandLine.arguments[0]).split(
      separator: "/", omittingEmptySubsequences: false
    ).dropLast().joined(separator: "/")
    return folder + "/syncd"
  }()

  /// Starts a command. Nothing of the machine's own configuration is read.
  func start(
    program: String = Self.path, _ arguments: [String], environment: [String: String] = [:],
    input: String = ""
  ) throws -> ChildProcess {
    var variables = ["XDG_CONFIG_HOME": folder.path, "HOME": folder.path]
    variables.merge(environment) { $1 }
    return try ChildProcess(program, arguments, environment: variables, input: input)
  }

  @discardableResult
  func run(
    _ arguments: String..., environment: [String: String] = [:], input: String = ""
  ) async throws -> ChildProcess.Result {
    try await start(
      arguments + ["--store", store], environment: environment, input: input
    ).wait()
  }

  /// One reconciliation with `url`, its report decoded.
  func once(
    _ url: String, _ arguments: String..., environment: [String: String] = [:]
  ) async throws -> (status: Int32, report: Report, errors: String) {
    let result = try await start(
      ["once", "--json", "--store", store, "--remote", url] + Self.impatient(arguments),
      environment: environment
    ).wait()
    let report = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
    return (result.status, report, result.errors)
  }

  private static func impatient(_ arguments: [String]) -> [String] {
    arguments.contains("--retry-for") ? arguments : arguments + ["--retry-for", "0s"]
  }

  /// A tool whose store holds `p0`, `p1` and so on, and a remote that agrees.
  static func synced(_ count: Int) async throws -> (Tool, PlainRESTServer) {
    let tool = try Tool()
    let server = try PlainRESTServer()
    let lines = (0..<count).map { #"{"id":"p\#($0)","title":"project \#($0)"}"# }
    let input = lines.joined(separator: "\n")
    try await tool.run("import", "-", "--format", "ndjson", input: input)
    let first = try await tool.once(server.url)
    guard first.report.remote.appended == count else {
      throw ChildProcess.Failure(description: first.report.message)
    }
    server.wire.forgetRequests()
    return (tool, server)
  }

  /// Starts the reference remote on a free port; the URL of its collection.
  func serve(_ arguments: String...) async throws -> (process: ChildProcess, url: String) {
    let process = try start(
      ["serve", "--listen", "127.0.0.1:0", "--store", folder.file("remote.db")] + arguments)
    return (process, try await process.line(startingWith: "listening on "))
  }

  /// Runs SQL on the store by the sqlite3 shell, as any other program would.
  @discardableResult
  func sql(_ statement: String) async throws -> String {
    let result = try await ChildProcess(
      "/usr/bin/sqlite3", ["-cmd", ".timeout 5000", store, statement]
    ).wait()
    guard result.status == 0 else { throw ChildProcess.Failure(description: result.errors) }
    return result.output
  }

  /// Ids and titles of the local store.
  func titles() async throws -> [String: String] {
    let result = try await run("list", "--json")
    let records = try JSONDecoder().decode([Record].self, from: Data(result.output.utf8))
    return Dictionary(uniqueKeysWithValues: records.map { ($0.id, $0.title) })
  }
}

struct Record: Decodable {
  var id: String
  var title: String
}

/// `once --json`, as a script would read it: every member must be there.
struct Report: Decodable {
  struct Changes: Decodable, Equatable {
    var appended: Int
    var updated: Int
    var deleted: Int
    var total: Int { appended + updated + deleted }
  }

  struct Failure: Decodable {
    var id: String
    var action: String
    var status: Int
    var message: String
  }

  struct Refused: Decodable {
    var `guard`: String
    var side: String
    var deletions: Int
    var of: Int
  }

  var outcome: String
  var direction: String
  var remote: Changes
  var local: Changes
  var unchanged: Int
  var adopted: Int
  var remoteNewer: Int
  var conflicts: Int
  var kept: Int
  var failed: [Failure]
  var refused: Refused?
  var requests: Int
  var bytesSent: Int
  var bytesReceived: Int
  var seconds: Double
  var message: String
}
