import HTTPServer
import SyncKit
import Synchronization
import TestSupport

@testable import syncd

/// A service that does nothing but remember what it was asked.
final class FakeService: ServiceControl {
  struct State {
    var asked: [String] = []
    var gauges: ServiceGauges
    var setAside: [SetAside] = []
    var failure: SyncError?
    var waiters: [CheckedContinuation<SyncReport, any Error>] = []
    var report = SyncReport(direction: .push)
    /// Whether runs that are waited for wait until `finishRuns`.
    var holdsRuns = false
  }

  static let start = Timestamp(microseconds: 1_700_000_000_000_000)

  let state: Mutex<State>
  private let stream = AsyncStream<ControlEvent>.makeStream()

  init() {
    state = Mutex(
      State(
        gauges: ServiceGauges(
          state: "online", pending: 3, setAside: 0, lastSuccess: nil, startedAt: Self.start,
          interval: .seconds(900))))
  }

  var asked: [String] { state.withLock { $0.asked } }

  func tell(_ event: ControlEvent) { stream.continuation.yield(event) }

  func finishRuns() {
    let (waiters, report) = state.withLock { state in
      defer { state.waiters = [] }
      return (state.waiters, state.report)
    }
    for waiter in waiters { waiter.resume(returning: report) }
  }

  private func note(_ text: String) throws {
    let failure = state.withLock { state in
      state.asked.append(text)
      return state.failure
    }
    if let failure { throw failure }
  }

  // MARK: ServiceControl

  func status() async throws -> JSONText {
    try note("status")
    return .object(["pending": .number(state.withLock { $0.gauges.pending })])
  }

  func gauges() async throws -> ServiceGauges {
    try note("gauges")
    return state.withLock { $0.gauges }
  }

  func requestSync(retryFailed: Bool) async { try? note("request \(retryFailed)") }

  func synchronize(retryFailed: Bool) async throws -> SyncReport {
    try note("synchronize \(retryFailed)")
    return try await withCheckedThrowingContinuation { continuation in
      let report = state.withLock { state -> SyncReport? in
        if state.holdsRuns { state.waiters.append(continuation) }
        return state.holdsRuns ? nil : state.report
      }
      if let report { continuation.resume(returning: report) }
    }
  }

  func pause(for duration: Duration?) async -> Timestamp? {
    try? note("pause \(duration.map { "\($0.components.seconds)" } ?? "-")")
    return duration.map { Self.start.adding(seconds: $0.components.seconds) }
  }

  func resume() async -> String {
    try? note("resume")
    return "online"
  }

  func setAside() async throws -> [SetAside] {
    try note("setAside")
    return state.withLock { $0.setAside }
  }

  func retrySetAside(_ id: String) async throws -> Bool {
    try note("retry \(id)")
    return state.withLock { state in state.setAside.contains { $0.id == id } }
  }

  func dropSetAside(_ id: String) async throws -> Bool {
    try note("drop \(id)")
    return state.withLock { state in
      let count = state.setAside.count
      state.setAside.removeAll { $0.id == id }
      return state.setAside.count < count
    }
  }

  func events() -> AsyncStream<ControlEvent> { stream.stream }
}

extension Timestamp {
  fileprivate func adding(seconds: Int64) -> Timestamp {
    Timestamp(microseconds: microseconds + seconds * 1_000_000)
  }
}

/// A control server before a fake service, on a socket in a folder of its own.
final class Controlled: Sendable {
  let service = FakeService()
  let server: ControlServer
  let clock = TestClock()
  let folder: TemporaryFolder

  init(epoch: String = "e") throws {
    folder = try TemporaryFolder()
    let now = Now()
    server = ControlServer(service, epoch: epoch, clock: clock, now: { now.value })
    time = now
    try server.listen(on: ListenSocket(unix: path), offering: .everything)
  }

  private let time: Now

  private final class Now: Sendable {
    let moment = Mutex(FakeService.start)
    var value: Timestamp { moment.withLock { $0 } }
  }

  func pass(seconds: Int64) {
    time.moment.withLock { $0 = $0.adding(seconds: seconds) }
  }

  var path: String { folder.file("control.sock") }

  var client: ControlClient { ControlClient(path: path) }

  func connect() throws -> SocketClient { try SocketClient(file: path) }

  /// The status and the rest of an answer.
  func ask(
    _ method: String, _ target: String, _ body: String? = nil, _ headers: [String: String] = [:]
  ) async throws -> (status: Int, text: String) {
    let client = try connect()
    client.request(method, target, headers, body: body)
    let text = try await client.readToEnd()
    return (Int(text.dropFirst(9).prefix(3)) ?? 0, text)
  }

  /// Has something happen, and waits until the server has heard of it.
  func tell(_ events: ControlEvent...) async {
    let before = heard
    for event in events { service.tell(event) }
    _ = await eventually { self.heard == before + events.count }
  }

  private var heard: Int {
    server.ring.withLock { ring in
      var copy = ring
      let text = String(decoding: copy.append("x", data: "x"), as: UTF8.self)
      return Int(text.split(separator: "\n")[0].split(separator: "-")[1]) ?? 0
    }
  }

  deinit { server.stop() }
}
