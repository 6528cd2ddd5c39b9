import SyncKit
import Synchronization
import TestSupport
import Testing

@testable import syncd

/// Stands in for the processes of hooks: each begins, and ends when the test lets it.
private final class Stage: Sendable {
  private let begun = AsyncStream<ChildCommand>.makeStream()
  private let gate = AsyncStream<ChildCommand.Ending>.makeStream()
  private let count = Mutex(0)

  /// How many have begun.
  var runs: Int { count.withLock { $0 } }

  @Sendable func execute(_ command: ChildCommand) async throws -> ChildCommand.Result {
    count.withLock { $0 += 1 }
    begun.continuation.yield(command)
    for await ending in gate.stream {
      return ChildCommand.Result(ending: ending, output: Array("said\n".utf8), isCut: false)
    }
    throw CancellationError()
  }

  func next() async -> ChildCommand? {
    for await command in begun.stream { return command }
    return nil
  }

  func end(_ ending: ChildCommand.Ending = .exited(0)) { gate.continuation.yield(ending) }
}

@Suite("Hooks", .timeLimit(.minutes(2)))
struct HooksTests {
  private static let moment = Timestamp(microseconds: 1_796_059_440_000_000)

  private func event(_ kind: HookKind, _ message: String = "") -> HookEvent {
    HookEvent(kind: kind, at: Self.moment, report: nil, message: message)
  }

  private func configuration(
    _ commands: [HookKind: [String]], timeout: Duration = .seconds(600)
  ) -> Configuration.Hooks {
    Configuration.Hooks(commands: commands, timeout: timeout)
  }

  private func input(_ command: ChildCommand?) -> String {
    String(decoding: command?.input ?? [], as: UTF8.self)
  }

  @Test("one of a kind runs at a time, and of what happens meanwhile the newest is run for")
  func coalesced() async {
    let stage = Stage()
    let recorder = LogRecorder()
    let hooks = Hooks(
      configuration([.sync: ["x"]]), variables: [], trouble: TroubleLog(recorder.log()),
      execute: stage.execute)
    hooks.fire(event(.sync, "1"))
    #expect(input(await stage.next()).contains("\"message\":\"1\""))
    for number in 2...9 { hooks.fire(event(.sync, "\(number)")) }
    stage.end()
    #expect(input(await stage.next()).contains("\"message\":\"9\""))
    stage.end()
    await hooks.settle()
    #expect(recorder.lines.count == 2)
  }

  @Test("kinds do not wait for one another, and one without a command does nothing")
  func kinds() async {
    let stage = Stage()
    let hooks = Hooks(
      configuration([.sync: ["a"], .failure: ["b"]]), variables: [],
      trouble: TroubleLog(LogRecorder().log()), execute: stage.execute)
    hooks.fire(event(.conflict))
    hooks.fire(event(.sync))
    hooks.fire(event(.failure))
    let names = [await stage.next(), await stage.next()].compactMap { $0?.arguments.first }
    #expect(Set(names) == ["a", "b"])
    stage.end()
    stage.end()
    await hooks.settle()
  }

  @Test("stopping ends what runs and forgets what waits")
  func stopped() async {
    let stage = Stage()
    let hooks = Hooks(
      configuration([.sync: ["x"]]), variables: [], trouble: TroubleLog(LogRecorder().log()),
      execute: stage.execute)
    hooks.fire(event(.sync, "1"))
    _ = await stage.next()
    hooks.fire(event(.sync, "2"))
    await hooks.stop()
    hooks.fire(event(.sync, "3"))
    await hooks.settle()
    #expect(stage.runs == 1)
  }

  @Test(
    "an end in failure is a warning with what was said; the same again is not repeated",
    arguments: [
      (ChildCommand.Ending.exited(3), "hooks.onSync: failed with 3"),
      (.signalled(11), "hooks.onSync: ended by signal 11"),
      (.timedOut, "hooks.onSync: took longer than 10m and was killed"),
    ])
  func failed(ending: ChildCommand.Ending, message: String) async {
    let stage = Stage()
    let recorder = LogRecorder()
    let hooks = Hooks(
      configuration([.sync: ["x"]]), variables: [],
      trouble: TroubleLog(recorder.log(level: .info), uptime: { .zero }), execute: stage.execute)
    for _ in 0..<3 {
      hooks.fire(event(.sync))
      stage.end(ending)
      await hooks.settle()
    }
    hooks.fire(event(.sync))
    stage.end()
    await hooks.settle()
    #expect(
      recorder.lines == [
        "<4>\(message) output=\"said\"\n",
        "<6>hooks.onSync works again, after 3 failed attempts in 0 s\n",
      ])
  }

  @Test("a program that is missing is one warning")
  func missing() async {
    let recorder = LogRecorder()
    let hooks = Hooks(
      configuration([.sync: ["/nonexistent/hook"]]), variables: [],
      trouble: TroubleLog(recorder.log()))
    for _ in 0..<3 {
      hooks.fire(event(.sync))
      await hooks.settle()
    }
    #expect(recorder.lines == ["<4>hooks.onSync: there is no program /nonexistent/hook\n"])
  }

  @Test("a command is given the event, runs in /, and sees no secret")
  func real() async throws {
    let folder = try TemporaryFolder()
    var whole = Configuration()
    whole.remote.authorization = .bearer(.environment("API_KEY"))
    whole.hooks = configuration(
      [.failure: ["sh", "-c", "{ cat; pwd; env; } > '\(folder.file("out"))'"]])
    let variables = HookVariables.of(
      whole,
      variables: [
        "PATH=/usr/bin:/bin", "SYNCD_TOKEN=s3cret", "API_KEY=s3cret", "NOTIFY_SOCKET=/n", "A=b=c",
      ])
    let hooks = Hooks(
      whole.hooks, variables: variables, trouble: TroubleLog(LogRecorder().log()))
    hooks.fire(event(.failure, "no route"))
    await hooks.settle()
    let lines = try folder.read("out").split(separator: "\n").map(String.init)
    #expect(
      lines.first == "{\"event\":\"failure\",\"at\":\"2026-11-30T17:24:00.000000Z\","
        + "\"report\":null,\"message\":\"no route\"}")
    #expect(lines.dropFirst().first == "/")
    #expect(lines.contains("A=b=c"))
    #expect(!lines.contains { $0.contains("s3cret") || $0.contains("NOTIFY_SOCKET") })
  }

  @Test("one that takes too long is killed, and says so")
  func slow() async {
    let recorder = LogRecorder()
    let hooks = Hooks(
      configuration([.sync: ["sleep", "600"]], timeout: .milliseconds(100)),
      variables: ["PATH=/usr/bin:/bin"], trouble: TroubleLog(recorder.log()))
    hooks.fire(event(.sync))
    await hooks.settle()
    #expect(recorder.lines == ["<4>hooks.onSync: took longer than 100ms and was killed\n"])
  }
}

@Suite("What hooks are run for")
struct HookRuleTests {
  private func kinds(_ outcomes: [SyncReport.Outcome], conflicts: [Int] = []) -> [[HookKind]] {
    var rule = HookRule()
    return outcomes.enumerated().map { index, outcome in
      var report = SyncReport(direction: .both)
      report.outcome = outcome
      if index < conflicts.count { report.conflicts = conflicts[index] }
      return rule.events(after: report, at: Timestamp(microseconds: 0)).map(\.kind)
    }
  }

  @Test("a failure is told once for each reason, and its end once")
  func failures() {
    #expect(
      kinds([.inSync, .offline, .offline, .locked, .unauthorized, .inSync, .inSync]) == [
        [.sync], [.failure], [], [], [.failure], [.recovered, .sync], [.sync],
      ])
    #expect(
      kinds([.partial, .partial, .offline, .partial, .inSync]) == [
        [.sync, .failure], [.sync], [.failure], [.sync, .failure], [.recovered, .sync],
      ])
  }

  @Test("conflicts are told when there are more of them that wait")
  func conflicts() {
    #expect(
      kinds([.conflicts, .conflicts, .conflicts, .inSync, .conflicts], conflicts: [1, 1, 2, 5, 1])
        == [[.sync, .conflict], [.sync], [.sync, .conflict], [.sync], [.sync, .conflict]])
  }

  @Test("the event carries the report")
  func report() {
    var report = SyncReport(direction: .push)
    report.outcome = .offline
    report.message = "no route"
    var rule = HookRule()
    let event = rule.events(after: report, at: Timestamp(microseconds: 0)).first
    #expect(
      event?.json
        == "{\"event\":\"failure\",\"at\":\"1970-01-01T00:00:00.000000Z\",\"report\":\(report.json),"
        + "\"message\":\"no route\"}\n")
  }

  @Test("kinds are called in the configuration as they are in the manual")
  func keys() {
    #expect(
      HookKind.allCases.map(\.key) == ["onSync", "onConflict", "onFailure", "onRecovered"])
  }
}
