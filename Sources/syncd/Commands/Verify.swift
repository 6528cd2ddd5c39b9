import SyncKit
import Synchronization

extension Command {
  static let verify = Command(
    "verify", summary: "compare both sides fully, and change nothing",
    details: """
      Reads every record of both sides and names each one that is not the same: contents are \
      compared, stamps are not. Exits with 0 only if both sides are equal, with 1 if they are not. \
      A change that waits to be sent is a difference.
      """,
    options: [retryFor],
    examples: [Example("syncd verify --json | jq .equal", "for a script")],
    run: { try await Verify(invocation: $0).run() })
}

/// Compares, and names what differs as it is found.
struct Verify {
  let invocation: Invocation

  func run() async throws -> ExitCode {
    let configuration = try invocation.configuration()
    let retryFor = try invocation.duration(Command.retryFor)
    _ = try configuration.remoteURL()
    let store = try invocation.readStore()
    let remote = try await configuration.makeRemote(for: store, retryFor: retryFor)
    let engine = SyncEngine(store: store, remote: remote, options: configuration.syncOptions)
    let follower = EventFollower(invocation)
    follower.follow(engine.events)
    defer { follower.stop() }
    let output = VerifyOutput(invocation)
    let result = try await Signals.cancelling {
      try await engine.verify { finding in
        follower.stop()
        try output.print(finding)
      }
    }
    follower.stop()
    try output.finish(result, url: remote.url)
    return result.isEqual ? .success : .partial
  }
}

/// The findings as lines, or as one JSON object that is written as they come.
private final class VerifyOutput: Sendable {
  private let console: Console
  private let printsJSON: Bool
  private let hasBegun = Mutex(false)

  init(_ invocation: Invocation) {
    console = invocation.console
    printsJSON = invocation.printsJSON
  }

  func print(_ finding: Verification.Finding) throws {
    guard printsJSON else {
      let details = finding.fields + (finding.message.isEmpty ? [] : [finding.message])
      let detail = details.isEmpty ? "" : ": " + details.joined(separator: ", ").printable
      return try console.print(
        "\(finding.kind.words.padded(to: 19))\(finding.id.printable)\(detail)")
    }
    try console.out.write((opening + finding.json.description).utf8)
  }

  /// What stands before the next finding.
  private var opening: String {
    hasBegun.withLock { hasBegun in
      defer { hasBegun = true }
      return hasBegun ? "," : #"{"differences":["#
    }
  }

  func finish(_ result: Verification, url: String) throws {
    if printsJSON {
      let opening = hasBegun.withLock { $0 } ? "" : self.opening
      return try console.print(
        opening + #"],"equal":\#(result.isEqual),"same":\#(result.equal)"#
          + #","onlyLocal":\#(result.onlyLocal),"onlyRemote":\#(result.onlyRemote)"#
          + #","differing":\#(result.differing),"unreadable":\#(result.unreadable)}"#)
    }
    if result.isEqual {
      if console.isQuiet { return }
      let words = console.styled("equal", .green)
      return try console.print("\(words): \(counted(result.equal, "project")) on both sides")
    }
    let parts = [
      (result.onlyLocal, "only in the store"), (result.onlyRemote, "only on the remote"),
      (result.differing, "with other contents"), (result.unreadable, "unreadable"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    console.complain(
      "not equal to \(url): \(parts.joined(separator: ", ")); \(result.equal) the same. "
        + "`syncd plan` shows what a run would do")
  }
}

extension Verification.Finding.Kind {
  fileprivate var words: String {
    switch self {
    case .onlyLocal: "only in the store"
    case .onlyRemote: "only on the remote"
    case .differs: "differs"
    case .unreadable: "unreadable"
    }
  }
}

extension Verification.Finding {
  fileprivate var json: JSONText {
    .object([
      "id": .string(id), "kind": .string(kind.rawValue), "fields": .strings(fields),
      "message": .string(message),
    ])
  }
}
