import Simulation
import Testing

/// Schedules that failed once, as small as they could be made: what they need is rare, a crash in the one
/// moment when an upload is stored and that is not written down. Where in a schedule's writes to the disk that
/// moment lies changes with whatever the store writes, so it is looked for.
@Suite("A deletion after an upload whose acknowledgement was lost")
struct UndoneDeletionTests {
  @Test("stands, and would not without the server's memory of it", arguments: schedules)
  func stands(_ text: String) async throws {
    let schedule = try #require(Schedule(text))
    let (violations, isMet) = await onThread {
      var violations: [World.Violation] = []
      for attempt in Self.around(schedule) {
        violations += simulate(attempt).violations
        let forgetful = simulate(attempt, mutant: .undeleting)
        if forgetful.violations.map(\.rule) == ["undone"] { return (violations, true) }
      }
      return (violations, false)
    }
    #expect(violations.isEmpty)
    #expect(isMet, "no crash came after the upload and before it was written down")
  }

  /// The schedule, and what it is with one of its crashes earlier or later, the nearest first.
  private static func around(_ schedule: Schedule) -> [Schedule] {
    let crashes = schedule.events.indices.filter { schedule.events[$0].verb == .crashWriting }
    let moved = (1...farthest).flatMap { distance in
      crashes.flatMap { index in
        [-distance, distance].compactMap { step -> Schedule? in
          var moved = schedule
          moved.events[index].amount += step
          return moved.events[index].amount < 0 ? nil : moved
        }
      }
    }
    return [schedule] + moved
  }

  /// How many writes to the disk a crash is moved by at the most.
  private static let farthest: Int64 = 24

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
