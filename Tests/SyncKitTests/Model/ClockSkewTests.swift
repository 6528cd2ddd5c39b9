import SyncKit
import TestSupport
import Testing

@Suite("How far a server's clock is ahead")
struct ClockSkewTests {
  private func make(date: Int64, sent: Double, received: Double) -> ClockSkew? {
    ClockSkew(
      date: Timestamp(microseconds: date * 1_000_000),
      sent: Timestamp(microseconds: Int64(sent * 1_000_000)),
      received: Timestamp(microseconds: Int64(received * 1_000_000)))
  }

  @Test("equal clocks leave zero possible, however slow the answer was")
  func equal() throws {
    for (sent, received) in [(100.0, 100.2), (100.9, 101.1), (70, 130)] {
      let skew = try #require(make(date: 100, sent: sent, received: received))
      #expect(skew.bounds.contains(0) && skew.least == .zero)
    }
  }

  @Test("what is told is the least that the dates allow")
  func least() throws {
    #expect(make(date: 1000, sent: 100, received: 101)?.least == .seconds(899))
    #expect(make(date: 100, sent: 1000, received: 1001)?.least == .seconds(-899))
  }

  @Test("every response narrows it; a clock that was set begins anew")
  func narrowing() throws {
    var known = try #require(make(date: 1000, sent: 100, received: 400))
    known.narrow(by: try #require(make(date: 1001, sent: 101.5, received: 101.6)))
    #expect(known.bounds == 899_400_000...900_500_000)
    known.narrow(by: try #require(make(date: 500, sent: 500, received: 500.1)))
    #expect(known.bounds.contains(0))
  }

  @Test("no dates lead astray: a clock set back in between, the ends of time")
  func odd() {
    #expect(make(date: 100, sent: 200, received: 100) == nil)
    for date in [Int64.min, .max] {
      for moment in [Int64.min, .max] {
        let moment = Timestamp(microseconds: moment)
        _ = ClockSkew(date: Timestamp(microseconds: date), sent: moment, received: moment)
      }
    }
  }

  @Test("random clocks and delays: the truth is within the bounds")
  func truth() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let truth = Int64.random(in: -10_000_000_000...10_000_000_000, using: &random)
      var known: ClockSkew?
      var now: Int64 = 1_700_000_000_000_000
      for _ in 0..<20 {
        let sent = now
        now += Int64.random(in: 0...5_000_000, using: &random)
        let second = ((now + truth) / 1_000_000) * 1_000_000
        now += Int64.random(in: 0...5_000_000, using: &random)
        let next = try #require(
          ClockSkew(
            date: Timestamp(microseconds: second), sent: Timestamp(microseconds: sent),
            received: Timestamp(microseconds: now)))
        if known == nil { known = next } else { known?.narrow(by: next) }
        #expect(known?.bounds.contains(truth) == true, "seed \(seed)")
      }
    }
  }
}
