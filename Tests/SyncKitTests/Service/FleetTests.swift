import TestSupport
import Testing

@testable import SyncKit

/// Many clients of one server.
@Suite("A fleet does not come back in the same second")
struct FleetTests {
  /// Clients whose runs all failed at one moment, and when each reached the server that came back
  /// after `outage`.
  private func comebacks(clients: Int, outage: Duration) -> (
    arrivals: [Duration], requests: [Int: Int]
  ) {
    var arrivals: [Duration] = []
    var requests: [Int: Int] = [:]
    for client in 0..<clients {
      var driven = DrivenMachine(seed: UInt64(client) &+ 1)
      driven.send(.start)
      driven.finish(.offline)
      while driven.state != .online {
        driven.passToDeadline()
        let isBack = driven.now >= outage
        if driven.state == .probing {
          requests[Int(driven.now.components.seconds), default: 0] += 1
        }
        if isBack { arrivals.append(driven.now - outage) }
        driven.finish(probe: isBack ? .good : .failed(.offline))
      }
    }
    return (arrivals, requests)
  }

  @Test(
    "a thousand clients that lose one server spread out",
    arguments: [(60, 8.0), (600, 4.0), (3600, 3.0)])
  func spread(outage: Int, percent: Double) {
    let clients = 1000
    let (arrivals, requests) = comebacks(clients: clients, outage: .seconds(outage))
    #expect(arrivals.count == clients)
    var histogram: [Int: Int] = [:]
    for arrival in arrivals { histogram[Int(arrival.components.seconds), default: 0] += 1 }
    let most = histogram.filter { $0.key > 0 }.values.max() ?? 0
    #expect(Double(most) <= Double(clients) * percent / 100, "\(histogram)")
    // Nobody waits longer than the longest back-off.
    #expect(arrivals.allSatisfy { $0 <= .seconds(301) })
    // And while the server is away, the fleet asks it ever more rarely.
    let late = (outage / 2..<outage).map { requests[$0] ?? 0 }.max() ?? 0
    #expect(late <= clients / 10, "\(late) requests in one second")
  }

  @Test("the delay stays between nothing and the longest, from the first attempt to the 200th")
  func attempts() {
    var driven = Situation.backingOff.make()
    var waits: [Duration] = []
    for _ in 0..<200 {
      waits.append(driven.wait ?? .zero)
      driven.passToDeadline()
      driven.finish(probe: .failed(.offline))
    }
    #expect(waits.allSatisfy { $0 >= .zero && $0 <= .seconds(300) })
    #expect(waits[20...].reduce(.zero, +) > .seconds(300) * 180 / 3)
  }

  @Test("intervals drift apart as well")
  func intervals() {
    var histogram: [Int: Int] = [:]
    for client in 0..<1000 {
      var driven = DrivenMachine(seed: UInt64(client) &+ 1)
      driven.send(.start)
      driven.finish()
      driven.passToDeadline()
      histogram[Int(driven.now.components.seconds), default: 0] += 1
    }
    #expect((histogram.values.max() ?? 0) <= 30, "\(histogram)")
  }
}
