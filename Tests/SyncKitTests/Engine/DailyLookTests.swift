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

  /// Whether a run with nothing to do asks for the changes alone.
  private func isByChanges(_ rig: Rig) async throws -> Bool {
    let before = rig.remote.toldChanges
    #expect(try await !engine(rig).synchronize().wroteAnything)
    return rig.remote.toldChanges > before
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
    try await clock.advance(by: .seconds(86_000), whenSleeping: 0)
    #expect(try await !engine(rig).synchronize().wroteAnything)
    try await clock.advance(by: .seconds(500), whenSleeping: 0)
    let report = try await engine(rig).synchronize()
    #expect(report.remote.updated == 1)
    #expect(rig.remoteTitles["a"] == "silent")
    #expect(try await !engine(rig).synchronize().wroteAnything)
  }

  @Test("is not due again until a day later, and a clock that went back does not put it off")
  func due() async throws {
    let rig = try await rig()
    #expect(try await isByChanges(rig))
    try await clock.advance(by: .seconds(90_000), whenSleeping: 0)
    #expect(try await !isByChanges(rig))
    #expect(try await isByChanges(rig))
    // What was noted by a clock that ran ahead is as good as nothing.
    try await rig.store.sql("UPDATE syncd_remote SET compared_at=compared_at+172800000000")
    #expect(try await !isByChanges(rig))
    #expect(try await isByChanges(rig))
  }

  @Test("tells a remote that was put back, as any other run does")
  func putBack() async throws {
    let rig = try await rig()
    let backup = rig.remote.backup()
    try await rig.write("a", title: "edited since")
    #expect(try await engine(rig).synchronize().remote.updated == 1)
    rig.remote.putBack(backup)
    try await clock.advance(by: .seconds(90_000), whenSleeping: 0)
    let report = try await engine(rig).synchronize()
    #expect(report.message.contains("put back") && report.local.total == 0)
    #expect(rig.remoteTitles["a"] == "edited since")
    #expect(try await !engine(rig).synchronize().wroteAnything)
  }
}
