import TestSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `syncd run` on a tool's store.
struct ServiceUnderTest: Sendable {
  let tool: Tool
  let process: ChildProcess
  let socket: String

  /// Starts the service and waits until it answers.
  ///
  /// - Parameter settings: more of the configuration: `direction: "both",`.
  init(
    _ tool: Tool, _ url: String, settings: String = "", environment: [String: String] = [:],
    arguments: [String] = [], lifetime: Int = 240
  ) async throws {
    self.tool = tool
    socket = tool.folder.file("control.sock")
    try Self.configure(tool, url, settings)
    var variables = ["XDG_CONFIG_HOME": tool.folder.path, "HOME": tool.folder.path]
    variables.merge(environment) { $1 }
    process = try ChildProcess(
      Tool.path, ["run", "-v"] + arguments, environment: variables, lifetime: lifetime)
    try await waitForLog("started: ")
  }

  /// A service that was started some other way.
  init(_ tool: Tool, process: ChildProcess) {
    (self.tool, self.process) = (tool, process)
    socket = tool.folder.file("control.sock")
  }

  static func configure(_ tool: Tool, _ url: String, _ settings: String = "") throws {
    try tool.folder.write(
      """
      { store: "\(tool.store)", remote: { url: "\(url)", allowInsecure: true },
        service: { socket: "\(tool.folder.file("control.sock"))" }, \(settings) }
      """, to: "syncd/config.json5")
  }

  func waitForLog(_ text: String, times: Int = 1) async throws {
    let found = await eventually {
      !process.isRunning || process.errors.components(of: text) >= times
    }
    guard found, process.errors.components(of: text) >= times else {
      throw ChildProcess.Failure(description: "no “\(text)” in the log:\n\(process.errors)")
    }
  }

  /// A command that asks the service.
  @discardableResult
  func ask(_ arguments: String...) async throws -> ChildProcess.Result {
    try await tool.start(arguments).wait()
  }

  struct Status: Decodable {
    struct Service: Decodable {
      var running: Bool
      var pid: Int32?
      var state: String
    }
    var service: Service
    var pending: Int
  }

  func status() async throws -> Status {
    let result = try await ask("status", "--json")
    return try JSONDecoder().decode(Status.self, from: Data(result.output.utf8))
  }

  /// Asks for a run and waits for it.
  func sync() async throws -> Report {
    let result = try await ask("sync", "--wait", "--json")
    guard result.output.hasPrefix("{") else {
      throw ChildProcess.Failure(description: "\(result.errors)\n\(process.errors)")
    }
    return try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
  }

  /// Ends the service as systemd does; its exit code.
  func stop() async -> Int32 {
    process.signal(SIGTERM)
    return await process.wait().status
  }
}

extension String {
  /// How often `text` occurs.
  func components(of text: String) -> Int {
    var count = 0
    var rest = self[...]
    while let found = rest.firstRange(of: text) {
      count += 1
      rest = rest[found.upperBound...]
    }
    return count
  }
}

/// Whether tests run at the length that the service is accepted at: `make acceptance`.
let isThorough = getenv("SYNCD_THOROUGH") != nil

/// How often something is done.
func rounds(_ few: Int, thorough: Int) -> Int { isThorough ? thorough : few }

/// Times that were measured, for people to read.
struct Latencies {
  private var times: [Duration] = []

  mutating func add(_ time: Duration) { times.append(time) }

  var median: Duration { times.sorted()[times.count / 2] }

  func print(_ what: String) {
    let sorted = times.sorted()
    guard let least = sorted.first, let most = sorted.last else { return }
    let line = "\(what): \(times.count) times, median \(median), from \(least) to \(most)\n"
    say(line)
  }
}

/// Says something to whoever looks at the tests.
func say(_ line: String) {
  let bytes = Array(line.utf8)
  _ = bytes.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
}
