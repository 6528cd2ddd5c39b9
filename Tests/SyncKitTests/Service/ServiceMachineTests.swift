import Testing

@testable import SyncKit

@Suite("When the service runs")
struct ServiceMachineTests {
  typealias Answer = ServiceMachine.Answer

  private let interval = Duration.seconds(900)

  @Test("a run starts half a second after the last local change")
  func debounce() {
    var driven = Situation.online.make()
    for _ in 0..<4 { driven.send(.localChange(deletionsOnly: false), after: .milliseconds(300)) }
    #expect(driven.pass(.milliseconds(499)) == [])
    #expect(driven.pass(.milliseconds(1)) == [.run(retryFailed: false), .changed(.syncing)])
  }

  @Test("while changes go on, a run starts five seconds after the first")
  func burst() {
    var driven = Situation.online.make()
    driven.send(.localChange(deletionsOnly: false))
    let first = driven.now
    while driven.runs == 0 {
      driven.pass(.milliseconds(100))
      driven.send(.localChange(deletionsOnly: false))
    }
    #expect(driven.now - first == .seconds(5))
  }

  @Test("deletions alone are held for two seconds, and no longer once something else changed")
  func deletions() {
    var driven = Situation.online.make()
    driven.send(.localChange(deletionsOnly: true))
    #expect(driven.pass(.milliseconds(1999)) == [])
    driven.send(.localChange(deletionsOnly: true))
    #expect(driven.wait == .seconds(2))
    driven.send(.localChange(deletionsOnly: false))
    driven.send(.localChange(deletionsOnly: true))
    #expect(driven.wait == .milliseconds(500))
  }

  @Test("whatever comes during a run becomes exactly one run after it")
  func following() {
    var driven = Situation.syncing.make()
    for _ in 0..<50 {
      driven.send(.localChange(deletionsOnly: false), after: .milliseconds(10))
      driven.send(.remoteChange)
      driven.send(.syncRequested(waiter: nil, retryFailed: false))
    }
    driven.finish()
    #expect(driven.runs == 1)
    driven.finish()
    driven.pass(.seconds(60))
    #expect(driven.runs == 1)
  }

  @Test("a run takes up the changes that waited for their time")
  func takenUp() {
    var driven = Situation.online.make()
    driven.send(.localChange(deletionsOnly: false))
    driven.send(.syncRequested(waiter: nil, retryFailed: false))
    driven.finish()
    driven.pass(.seconds(60))
    #expect(driven.runs == 1)
  }

  @Test("runs come at the interval, a tenth more or less")
  func regular() {
    var driven = Situation.online.make()
    var waits: [Duration] = []
    var last = driven.now
    while waits.count < 100 {
      driven.passToDeadline()
      guard driven.state == .syncing else { continue }
      waits.append(driven.now - last)
      last = driven.now
      driven.finish()
    }
    #expect(waits.allSatisfy { $0 >= interval * 9 / 10 && $0 <= interval * 11 / 10 })
    #expect(Set(waits).count > 50)
  }

  @Test("a run that takes longer than the interval is not followed by another for that alone")
  func longRun() {
    var driven = Situation.syncing.make()
    driven.pass(.seconds(36_000))
    driven.finish()
    #expect(driven.state == .online)
  }

  @Test("after trouble a probe comes first, and a good one starts the run")
  func recovers() {
    var driven = Situation.backingOff.make()
    #expect(driven.wait.map { $0 <= .seconds(1) } == true)
    driven.passToDeadline()
    #expect(driven.state == .probing)
    #expect(driven.send(.probed(.good)) == [.run(retryFailed: false), .changed(.syncing)])
    driven.finish()
    #expect(driven.state == .online)
  }

  @Test("local changes make no attempts of their own while backing off")
  func quietBackoff() {
    var driven = Situation.backingOff.make()
    for _ in 0..<10 {
      driven.passToDeadline()
      driven.finish(probe: .failed(.offline))
    }
    driven.forget()
    let deadline = driven.machine.deadline
    for _ in 0..<100 { driven.send(.localChange(deletionsOnly: false)) }
    #expect(driven.machine.deadline == deadline)
    #expect(driven.done == [])
  }

  @Test("a good probe before a failing run does not start the back-off anew")
  func protocolTrouble() {
    var driven = Situation.syncing.make()
    driven.finish(.protocol)
    for _ in 0..<20 {
      driven.passToDeadline()
      driven.finish(.protocol)
    }
    #expect(driven.machine.trouble?.attempts == 21)
  }

  @Test("a store that another run holds is tried again within seconds, without a probe")
  func locked() {
    var driven = Situation.syncing.make()
    driven.finish(.locked)
    #expect(driven.wait.map { $0 >= .seconds(1) && $0 <= .seconds(5) } == true)
    #expect(driven.passToDeadline().first == .run(retryFailed: false))
  }

  @Test("refused credentials are tried at the interval, and when the network changes")
  func needsAuth() {
    var driven = Situation.needsAuth.make()
    #expect(driven.wait.map { $0 >= interval * 9 / 10 && $0 <= interval * 11 / 10 } == true)
    driven.send(.path(DrivenMachine.elsewhere))
    #expect(driven.pass(.milliseconds(200)) == [.freshConnections, .probe, .changed(.probing)])
  }

  @Test("records that failed are tried again by the run that goes through")
  func retryFailed() {
    var driven = Situation.online.make()
    driven.send(.syncRequested(waiter: nil, retryFailed: true))
    driven.finish(.offline)
    driven.passToDeadline()
    #expect(driven.send(.probed(.good)).first == .run(retryFailed: true))
  }

  @Test("a pause ends by itself, with a run")
  func pauseEnds() {
    var driven = Situation.online.make()
    driven.send(.pause(until: driven.now + .seconds(7200)))
    driven.send(.localChange(deletionsOnly: false))
    #expect(driven.pass(.milliseconds(7_199_999)) == [])
    #expect(driven.pass(.milliseconds(1)) == [.run(retryFailed: false), .changed(.syncing)])
  }

  @Test("a pause leaves a run that a person asked for")
  func pauseLeavesAsked() {
    var driven = Situation.online.make()
    driven.send(.syncRequested(waiter: 1, retryFailed: false))
    #expect(driven.send(.pause(until: nil)) == [.stopListening])
    #expect(driven.send(.ran(.inSync)) == [.answer([1], .run), .changed(.paused)])
  }

  @Test("those who wait are told when the remote is not reached, and the run stays to be done")
  func unreachable() {
    var driven = Situation.backingOff.make()
    driven.send(.syncRequested(waiter: 7, retryFailed: true))
    #expect(
      driven.send(.probed(.failed(.offline))) == [.answer([7], .probe), .changed(.backingOff)])
    driven.passToDeadline()
    #expect(driven.send(.probed(.good)).first == .run(retryFailed: true))
  }

  @Test("those who wait for a run that is cancelled are answered by the next")
  func carriedOver() {
    var driven = Situation.online.make()
    driven.send(.syncRequested(waiter: 1, retryFailed: false))
    driven.send(.reloaded(ServiceOptions()))
    driven.send(.syncRequested(waiter: 2, retryFailed: false))
    #expect(driven.send(.ran(nil)) == [.run(retryFailed: false)])
    #expect(driven.send(.ran(.inSync)).first == .answer([1, 2], .run))
  }

  @Test("stopping lets the run finish, but not for ever")
  func stopping() {
    var driven = Situation.syncing.make()
    driven.send(.syncRequested(waiter: 1, retryFailed: false))
    #expect(driven.send(.stop) == [.answer([1], .stopped)])
    #expect(driven.pass(.seconds(29)) == [])
    #expect(driven.pass(.seconds(1)) == [.cancelRun])
    #expect(driven.send(.ran(nil)) == [.changed(.stopped)])
    #expect(driven.wait == nil)
  }

  @Test("a probe that does not end is given up")
  func overdueProbe() {
    var driven = Situation.probing.make()
    #expect(driven.pass(.seconds(60)) == [.cancelProbe])
    #expect(driven.send(.probed(.cancelled)) == [.changed(.backingOff)])
  }

  @Test("once a day, and not while paused, the store is looked after")
  func maintenance() {
    var driven = Situation.online.make()
    for _ in 0..<(4 * 24 * 3) {
      driven.pass(.seconds(900))
      driven.finish()
    }
    #expect((2...3).contains(driven.count(.maintain)))
    driven.send(.pause(until: nil))
    driven.forget()
    driven.pass(.seconds(10 * 86_400))
    #expect(driven.done == [])
  }
}
