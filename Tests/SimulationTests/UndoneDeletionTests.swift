import Simulation
import Testing

/// Schedules that failed once, as small as they could be made: what they need is rare.
@Suite("A deletion after an upload whose acknowledgement was lost")
struct UndoneDeletionTests {
  @Test("stands, and would not without the server's memory of it", arguments: schedules)
  func stands(_ text: String) async throws {
    let schedule = try #require(Schedule(text))
    let (outcome, forgetful) = await onThread {
      (simulate(schedule), simulate(schedule, mutant: .undeleting))
    }
    #expect(outcome.isSound, "\(outcome.violations)")
    #expect(forgetful.violations.map(\.rule) == ["undone"])
  }

  /// The upload is stored, and the process ends before it hears of it; or before it wrote that down, before the
  /// commit of it reached the log.
  private static let schedules = [
    """
    world seed=17419 devices=3 followers=0 records=4 policy=newest plain=false page=1000 batch=1000 fetch=1 tombstones=1000 fresh=true concurrency=1
    +0 add device=1 record=3 other=1 amount=1
    +0 sync device=0 record=3 other=0 amount=1
    +0 sqlReplace device=0 record=1 other=2 amount=1
    +60000 edit device=0 record=1 other=2 amount=1
    +0 sync device=1 record=3 other=0 amount=0
    +60000 sync device=2 record=2 other=0 amount=0
    +60000 crashSending device=1 record=2 other=0 amount=5
    +0 sync device=0 record=2 other=3 amount=0
    +0 recreate device=2 record=1 other=3 amount=0
    +0 sqlRename device=1 record=3 other=0 amount=1
    +60000 sqlUpdate device=2 record=3 other=1 amount=0
    +0 sync device=2 record=2 other=3 amount=1
    +52 sqlReplace device=0 record=3 other=1 amount=1
    +0 sync device=1 record=3 other=3 amount=1
    +0 crashWriting device=1 record=2 other=1 amount=28
    +60000 sync device=0 record=0 other=1 amount=0
    +60000 crashWriting device=1 record=3 other=2 amount=18
    +0 remove device=0 record=0 other=3 amount=0
    """,
    """
    world seed=8907 devices=3 followers=0 records=4 policy=newest plain=false page=1000 batch=1000 fetch=1000 tombstones=1000 fresh=true concurrency=1
    +0 add device=0 record=0 other=0 amount=0
    +0 add device=0 record=2 other=0 amount=0
    +0 sync device=0 record=0 other=0 amount=0
    +60000 sync device=1 record=0 other=0 amount=0
    +0 sync device=2 record=0 other=0 amount=0
    +60000 edit device=2 record=0 other=1 amount=0
    +0 sqlReplace device=1 record=3 other=3 amount=0
    +0 edit device=0 record=2 other=1 amount=1
    +0 sync device=0 record=0 other=3 amount=0
    +0 sync device=2 record=1 other=3 amount=0
    +0 crashWriting device=1 record=2 other=2 amount=46
    +60000 edit device=1 record=2 other=2 amount=0
    +0 sync device=1 record=0 other=1 amount=0
    +60000 sync device=0 record=2 other=3 amount=0
    +60000 remove device=0 record=3 other=0 amount=1
    """,
  ]
}
