import TestSupport
import Testing

@testable import SyncKit

@Suite("The whole look, once a day")
struct DailyLookTests {
  private let clock = TestClock()

  private func engine(_ rig: Rig) -> SyncEngine {
    SyncEngine(
      store: rig.store, remote: rig.remote, options: .both, time: VirtualTime(clock: clock))
  }

  private func rig() async throws -> Rig {
    let rig = try await Rig(local: ["a", "b"])
    rig.remote.behaviour.hasChanges = true
    #expect(try await engine(rig).synchronize().outcome == .inSync)
    return rig
  }

  @Test("finds what the changes did not tell, on either side")
  func finds() async throws {
    let rig = try await rig()
    // A program that switches the triggers off, and a remote that forgets to tell.
    try await rig.store.sql("UPDATE syncd_store SET applying=1")
    try await rig.store.sql(
      "UPDATE projects SET title='silent', updated_at=updated_at+1 WHERE id='a'")
    try await rig.store.sql("UPDATE syncd_store SET applying=0")
    #expect(try await !engine(rig).synchronize().wroteAnything)
    try await clock.advance(by: .seconds(86_000))
    #expect(try await !engine(rig).synchronize().wroteAnything)
    try await clock.advance(by: .seconds(500))
    let report = try await engine(rig).synchronize()
    #expect(report.remote.updated == 1)
    #expect(rig.remoteTitles["a"] == "silent")
    #expect(try await !engine(rig).synchronize().wroteAnything)
  }

  @Test("is not due again until a day later, and a clock that went back does not put it off")
  func due() async throws {
    let rig = try await rig()
    let listings = { rig.remote.log.count { if case .list = $0 { true } else { false } } }
    try await clock.advance(by: .seconds(90_000))
    rig.remote.clearLog()
    _ = try await engine(rig).synchronize()
    #expect(listings() == 1)
    _ = try await engine(rig).synchronize()
    #expect(listings() == 1)
    // What was noted by a clock that ran ahead is as good as nothing.
    try await rig.store.sql("UPDATE syncd_remote SET compared_at=compared_at+172800000000")
    _ = try await engine(rig).synchronize()
    #expect(listings() == 2)
    #expect(try await !engine(rig).synchronize().wroteAnything)
  }
}
