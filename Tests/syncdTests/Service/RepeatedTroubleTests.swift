import SyncKit
import Synchronization
import TestSupport
import Testing

@testable import syncd

@Suite("Repeated trouble")
struct RepeatedTroubleTests {
  private static let minute = 60
  private static let hour = 3600
  private static let month = 30 * 24 * 3600

  /// What is said of the same error, met so many seconds apart for so long.
  private func said(every step: Int, for span: Int) -> [Int] {
    var trouble = RepeatedTrouble()
    return stride(from: 0, to: span, by: step).filter { second in
      trouble.met("offline", "no route", at: .seconds(second)) != nil
    }
  }

  @Test("the first is said, then at growing distances")
  func distances() {
    #expect(
      said(every: 1, for: 14 * Self.hour) == [
        0, 60, 660, 660 + 3600, 660 + 3600 + 21_600, 660 + 3600 + 2 * 21_600,
      ])
  }

  @Test("what is new in returned trouble is said once, and not at once again")
  func newMessageAfterReturn() {
    var trouble = RepeatedTrouble()
    #expect(trouble.met("offline", "no route", at: .seconds(0)) == .first)
    #expect(trouble.overcame("offline", at: .seconds(100)) != nil)
    #expect(trouble.met("offline", "no name", at: .seconds(200)) == .first)
    #expect(trouble.met("offline", "no name", at: .seconds(201)) == nil)
  }

  @Test("a reminder says how often it came and for how long")
  func counted() {
    var trouble = RepeatedTrouble()
    #expect(trouble.met("offline", "no route", at: .seconds(5)) == .first)
    for second in 6..<65 {
      #expect(trouble.met("offline", "no route", at: .seconds(second)) == nil)
    }
    #expect(
      trouble.met("offline", "no route", at: .seconds(65))
        == .again(times: 61, over: .seconds(60)))
  }

  @Test("another message, and another kind, is said at once")
  func another() {
    var trouble = RepeatedTrouble()
    #expect(trouble.met("offline", "no route", at: .zero) == .first)
    #expect(trouble.met("offline", "timed out", at: .seconds(1)) == .first)
    #expect(trouble.met("unauthorized", "no route", at: .seconds(2)) == .first)
    #expect(trouble.met("offline", "no route", at: .seconds(3)) == nil)
    #expect(trouble.met("offline", "timed out", at: .seconds(4)) == nil)
  }

  @Test("recovery is said once, with how often and how long it failed")
  func recovered() {
    var trouble = RepeatedTrouble()
    #expect(trouble.overcame("offline", at: .zero) == nil)
    _ = trouble.met("offline", "no route", at: .seconds(10))
    _ = trouble.met("offline", "no route", at: .seconds(20))
    #expect(
      trouble.overcame("offline", at: .seconds(40))
        == RepeatedTrouble.Recovery(attempts: 2, lasted: .seconds(30)))
    #expect(trouble.overcame("offline", at: .seconds(50)) == nil)
  }

  @Test("trouble that comes back at once is not said at once; after an hour of calm it is new")
  func returns() {
    var trouble = RepeatedTrouble()
    #expect(trouble.met("offline", "no route", at: .seconds(0)) == .first)
    #expect(trouble.overcame("offline", at: .seconds(10)) != nil)
    #expect(trouble.met("offline", "no route", at: .seconds(20)) == nil)
    #expect(trouble.overcame("offline", at: .seconds(30)) == nil)
    #expect(trouble.met("offline", "no route", at: .seconds(70)) == .first)
    #expect(trouble.overcame("offline", at: .seconds(80))?.attempts == 1)
    #expect(trouble.met("offline", "no route", at: .seconds(80 + Self.hour)) == .first)
    #expect(trouble.met("offline", "no route", at: .seconds(80 + Self.hour + 60)) != nil)
  }

  @Test("trouble that returned and stays is said within the hour")
  func stays() {
    var trouble = RepeatedTrouble()
    var lastSaid = 0
    var now = 0
    for _ in 0..<500 {
      now += 30
      if trouble.met("offline", "no route", at: .seconds(now)) != nil { lastSaid = now }
      now += 30
      _ = trouble.overcame("offline", at: .seconds(now))
    }
    while trouble.met("offline", "no route", at: .seconds(now)) == nil { now += 60 }
    #expect(now - lastSaid <= Self.hour + Self.minute)
  }

  @Test("a month of trouble is a bounded number of lines", arguments: [1, 2, 3, 4] as [UInt64])
  func month(seed: UInt64) {
    #expect(said(every: 300, for: Self.month).count <= 125)

    var random = SeededGenerator(seed: seed)
    var flapping = RepeatedTrouble()
    var varied = RepeatedTrouble()
    var kinds = RepeatedTrouble()
    var lines = (flapping: 0, varied: 0, kinds: 0)
    var now = 0
    while now < Self.month {
      now += Int.random(in: 1...120, using: &random)
      let moment = Duration.seconds(now)
      // It comes and goes.
      if Bool.random(using: &random) {
        if flapping.met("offline", "no route", at: moment) != nil { lines.flapping += 1 }
      } else if flapping.overcame("offline", at: moment) != nil {
        lines.flapping += 1
      }
      // Its message is never the same.
      if varied.met("offline", "no route \(now)", at: moment) != nil { lines.varied += 1 }
      // All kinds that there are, at once.
      let kind = Int.random(in: 0..<8, using: &random)
      if kinds.met("kind \(kind)", "no route", at: moment) != nil { lines.kinds += 1 }
    }
    #expect(lines.flapping <= 30 * 24 * 2 + 10, "seed \(seed)")
    #expect(lines.varied <= 140, "seed \(seed)")
    #expect(lines.kinds <= 8 * 125, "seed \(seed)")
  }

  @Test("in words, the count and the span stand behind the message; the rest is for debugging")
  func words() {
    let recorder = LogRecorder()
    let seconds = Mutex(0)
    let trouble = TroubleLog(
      recorder.log(level: .info), uptime: { .seconds(seconds.withLock { $0 }) })
    for second in stride(from: 0, through: 60, by: 10) {
      seconds.withLock { $0 = second }
      trouble.met("offline", "no route to host", ["url": .text("u")])
    }
    seconds.withLock { $0 = 120 }
    trouble.overcame("offline", "the remote can be reached again")
    #expect(
      recorder.lines == [
        "<4>no route to host url=\"u\"\n", "<4>no route to host (7 times in 1 min) url=\"u\"\n",
        "<6>the remote can be reached again, after 7 failed attempts in 2 min\n",
      ])
  }
}
