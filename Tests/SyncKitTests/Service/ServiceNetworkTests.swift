import Testing

@testable import SyncKit

@Suite("How the service meets the network")
struct ServiceNetworkTests {
  @Test("an hour without network, then the link comes up: tried at once")
  func linkComesUp() {
    var driven = Situation.offline.make()
    let end = driven.now + .seconds(3600)
    while driven.now < end {
      driven.passToDeadline()
      driven.finish(probe: .failed(.offline))
    }
    driven.forget()
    driven.send(.path(DrivenMachine.up))
    #expect(driven.pass(.milliseconds(199)) == [])
    #expect(driven.pass(.milliseconds(1)) == [.freshConnections, .probe, .changed(.probing)])
    // And soon again, when the network needs a moment more.
    driven.finish(probe: .failed(.offline))
    #expect(driven.wait.map { $0 <= .seconds(1) } == true)
  }

  @Test("a link that goes and comes every few seconds is used at once each time")
  func comesAndGoes() {
    var driven = Situation.online.make()
    for _ in 0..<20 {
      driven.send(.path(DrivenMachine.down))
      driven.pass(.milliseconds(1))
      driven.send(.path(DrivenMachine.up))
      driven.forget()
      #expect(driven.pass(.milliseconds(200)).contains(.probe))
      driven.finish()
      #expect(driven.state == .online)
      driven.pass(.seconds(4))
      driven.finish()
    }
  }

  @Test("without network the remote is tried all the same, ever more rarely")
  func downIsDoubted() {
    var driven = Situation.offline.make()
    let end = driven.now + .seconds(600)
    while driven.now < end {
      driven.passToDeadline()
      driven.finish(probe: .failed(.offline))
    }
    #expect((3...20).contains(driven.count(.probe)))
    #expect(driven.state == .offline)
  }

  @Test("a remote that answers without network is believed")
  func answersAllTheSame() {
    var driven = Situation.offline.make()
    driven.passToDeadline()
    driven.finish()
    #expect(driven.state == .online)
  }

  @Test("a link that comes back during a run starts it again, on fresh connections")
  func restarts() {
    var driven = Situation.syncing.make()
    driven.send(.path(DrivenMachine.down))
    driven.send(.path(DrivenMachine.up), after: .seconds(1))
    #expect(driven.pass(.milliseconds(200)) == [.cancelRun, .freshConnections])
    #expect(driven.send(.ran(nil)) == [.probe, .changed(.probing)])
    #expect(driven.send(.probed(.good)) == [.run(retryFailed: false), .changed(.syncing)])
  }

  @Test("another address while all is well closes what lies idle, and leaves a run alone")
  func anotherAddress() {
    var driven = Situation.online.make()
    driven.send(.path(DrivenMachine.elsewhere))
    #expect(driven.pass(.seconds(1)) == [.freshConnections])
    driven.send(.syncRequested(waiter: nil, retryFailed: false))
    driven.send(.path(DrivenMachine.up))
    #expect(driven.pass(.seconds(1)) == [])
  }

  @Test("after a sleep a probe comes first, on fresh connections")
  func wakesUp() {
    var driven = Situation.online.make()
    #expect(driven.send(.woke, after: .seconds(30_000)) == [.freshConnections, .stopListening])
    #expect(driven.pass(.milliseconds(200)) == [.freshConnections, .probe, .changed(.probing)])
    driven.finish()
    #expect(driven.state == .online)
    #expect(driven.done.last == .changed(.online))
    #expect(driven.count(.listen) == 1)
  }

  @Test("a sleep during a run ends it, and starts another")
  func sleepsDuringRun() {
    var driven = Situation.syncing.make()
    driven.send(.woke, after: .seconds(30_000))
    #expect(driven.send(.ran(nil)) == [.changed(.online)])
    #expect(driven.pass(.milliseconds(200)).contains(.probe))
  }

  @Test(
    "fifty flaps make a bounded number of probes",
    arguments: [10, 100, 190, 250, 1000, 3000, 10_000, 30_000])
  func flaps(milliseconds: Int) {
    var driven = Situation.backingOff.make()
    for flap in 0..<100 {
      driven.send(.path(flap.isMultiple(of: 2) ? DrivenMachine.down : DrivenMachine.up))
      let end = driven.now + .milliseconds(milliseconds)
      while let wait = driven.wait, driven.now + wait <= end {
        driven.passToDeadline()
        // A probe takes a moment to fail.
        if driven.state == .probing {
          driven.pass(.milliseconds(min(5, milliseconds)))
          driven.finish(probe: .failed(.offline))
        }
      }
      if driven.now < end { driven.pass(end - driven.now) }
    }
    #expect(driven.count(.probe) <= 80, "\(driven.count(.probe)) probes")
  }

  @Test("a remote that stops telling is asked again, ever more rarely, and makes no runs")
  func listenerLost() {
    var driven = Situation.online.make()
    var listens = 0
    let end = driven.now + .seconds(600)
    driven.send(.listenerEnded)
    while driven.now < end {
      let actions = driven.passToDeadline()
      if actions.contains(.listen) {
        listens += 1
        driven.send(.listenerEnded)
      }
    }
    #expect((3...20).contains(listens))
    #expect(driven.runs == 0)
  }

  @Test("a remote that offers no telling is not asked again before the next run")
  func listenerUnavailable() {
    var driven = Situation.online.make()
    driven.send(.listenerUnavailable)
    driven.pass(.seconds(600))
    #expect(driven.count(.listen) == 0)
    driven.send(.syncRequested(waiter: nil, retryFailed: false))
    driven.finish()
    #expect(driven.count(.listen) == 1)
  }

  @Test("what the remote tells is looked at within half a second, unless it is known")
  func remoteChange() {
    var driven = Situation.online.make()
    driven.send(.remoteChange)
    #expect(driven.wait.map { $0 <= .milliseconds(500) } == true)
    driven.send(.remoteAsKnown)
    #expect(driven.pass(.seconds(10)) == [])
    driven.send(.remoteChange)
    #expect(driven.pass(.milliseconds(500)).first == .run(retryFailed: false))
  }
}
