import Synchronization

/// What the operations of one run share: the report that they fill in, the acknowledgements that
/// wait for the next commit, and the trouble that ends the run.
final class RunState: Sendable {
  private struct Shared {
    var report: SyncReport
    var acknowledged: [Acknowledgement] = []
    var trouble: (any Error)?
    /// What each write said of the collection's version before and after it.
    var versions: [(before: String, after: String)] = []
    var done = 0
    /// Records that changed under the run and wait for the next one.
    var deferred = 0
    /// Conflicts that wait for a decision.
    var waiting = 0
    /// Whether a write's answer left the collection's version unknown.
    var versionUnknown = false

    mutating func takeAcknowledged() -> [Acknowledgement] {
      defer { acknowledged.removeAll() }
      return acknowledged
    }
  }

  private let shared: Mutex<Shared>
  private let store: LocalStore
  private let emit: @Sendable (SyncEvent) -> Void
  /// The rules of this run, for ids that must be decided again.
  let rules: PlanRules
  let remoteKey: Int64
  let planned: Int

  /// Acknowledgements that make one commit of the base.
  private static let groupSize = 64

  init(
    report: SyncReport, rules: PlanRules, store: LocalStore, remoteKey: Int64, planned: Int,
    emit: @escaping @Sendable (SyncEvent) -> Void
  ) {
    shared = Mutex(Shared(report: report))
    self.rules = rules
    self.store = store
    self.remoteKey = remoteKey
    self.planned = planned
    self.emit = emit
  }

  var report: SyncReport { shared.withLock { $0.report } }

  func update(_ body: (inout SyncReport) -> Void) {
    shared.withLock { body(&$0.report) }
  }

  /// Whether both sides hold the same now, as far as this run knows.
  var agrees: Bool {
    shared.withLock { shared in
      let report = shared.report
      return report.outcome == .inSync && report.remoteNewer == 0 && report.kept == 0
        && shared.deferred == 0 && shared.waiting == 0
    }
  }

  // MARK: Trouble

  var trouble: (any Error)? { shared.withLock { $0.trouble } }

  /// Ends the run: operations that have not started see it and do nothing.
  func stop(for error: any Error) {
    shared.withLock { if $0.trouble == nil { $0.trouble = error } }
  }

  func checkTrouble() throws {
    if let trouble { throw trouble }
  }

  // MARK: Acknowledgements

  /// Notes that both sides agree on these ids; they enter the base with the next group.
  func acknowledge(_ acknowledgements: [Acknowledgement]) async throws {
    let group = shared.withLock { shared -> [Acknowledgement] in
      shared.acknowledged += acknowledgements
      return shared.acknowledged.count >= Self.groupSize ? shared.takeAcknowledged() : []
    }
    if !group.isEmpty { try await store.commit(group, remote: remoteKey) }
  }

  func commitAcknowledged() async throws {
    let group = shared.withLock { $0.takeAcknowledged() }
    if !group.isEmpty { try await store.commit(group, remote: remoteKey) }
  }

  // MARK: Progress and failures

  func countDone(_ count: Int) {
    // A hundred events a run are enough to follow it by.
    let step = max(1, planned / 100)
    let (before, done) = shared.withLock { shared in
      shared.done += count
      return (shared.done - count, shared.done)
    }
    if before / step != done / step { emit(.progress(done: done, of: planned)) }
  }

  func fail(_ id: ProjectID, _ action: SyncReport.Failure.Action, status: Int, message: String) {
    update { report in
      report.failed.append(
        SyncReport.Failure(id: id.string, action: action, status: status, message: message))
    }
  }

  func countDeferred(_ count: Int) {
    shared.withLock { $0.deferred += count }
  }

  var deferred: Int { shared.withLock { $0.deferred } }

  func countWaiting(_ count: Int) {
    shared.withLock { shared in
      shared.waiting += count
      shared.report.conflicts += count
    }
  }

  var waiting: Int { shared.withLock { $0.waiting } }

  // MARK: The collection's version

  func noteVersions(of result: WriteResult) {
    shared.withLock { shared in
      if let before = result.previous, let after = result.version {
        shared.versions.append((before.raw, after.raw))
      } else {
        shared.versionUnknown = true
      }
    }
  }

  /// The collection's version after this run, if nobody else wrote meanwhile: the steps of our own
  /// writes, each from the version before it to the one after, lead there without a gap.
  func versionAfter(_ listed: CollectionVersion?) -> CollectionVersion? {
    shared.withLock { shared in
      guard let listed, !shared.versionUnknown else { return nil }
      var steps: [String: String] = [:]
      for step in shared.versions where step.before != step.after {
        guard steps.updateValue(step.after, forKey: step.before) == nil else { return nil }
      }
      var version = listed.raw
      while let next = steps.removeValue(forKey: version) { version = next }
      return steps.isEmpty ? CollectionVersion(version) : nil
    }
  }
}
