import TestSupport
import Testing

@testable import SyncKit

@Suite("A run that is cancelled")
struct CancelledRunTests {
  @Test("cancelled while it plans, it leaves the store free for the next")
  func planning() async throws {
    let rig = try await Rig(local: ["a", "b"], remote: ["c"])
    let planning = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await rig.store.beginPlan()
      _ = try await rig.store.planFromListing(
        PlanRules(reconciler: SyncOptions.both.reconciler), remote: nil)
    }
    await #expect(throws: (any Error).self) { try await planning.value }
    let report = try await rig.sync(.both)
    #expect(report.outcome == .inSync, "\(report.message)")
    try await rig.expectAtRest(.both)
  }

  @Test("cancelled at each of its requests, the next run finishes the work", arguments: 1...12)
  func requests(number: Int) async throws {
    let rig = try await Rig(local: ["a", "b", "c"], remote: ["d", "e"])
    rig.remote.setPause { _ in
      if rig.remote.log.count == number { withUnsafeCurrentTask { $0?.cancel() } }
    }
    let running = Task { try await rig.sync(.both) }
    // It may be over before that request.
    _ = try? await running.value
    rig.remote.setPause(nil)
    #expect(try await rig.sync(.both).outcome == .inSync)
    #expect(rig.remote.projects.count == 5)
    try await rig.expectAtRest(.both)
  }
}
