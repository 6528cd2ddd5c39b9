import Testing

@testable import SyncKit

/// What the machine does at once in each of its states.
@Suite("The service's table of states")
struct ServiceMachineTable {
  struct Row: CustomTestStringConvertible {
    var from: Situation
    var event: ServiceMachine.Event
    var actions: [ServiceMachine.Action]

    init(
      _ from: Situation, _ event: ServiceMachine.Event, _ actions: [ServiceMachine.Action] = []
    ) {
      (self.from, self.event, self.actions) = (from, event, actions)
    }

    var testDescription: String { "\(from): \(event)" }
  }

  @Test("a state and an event give actions", arguments: rows)
  func row(_ row: Row) {
    var driven = row.from.make()
    #expect(driven.state.rawValue == row.from.rawValue)
    #expect(driven.send(row.event) == row.actions)
  }

  @Test("a stopped service does nothing but answer")
  func stopped() {
    for event in Self.everyEvent {
      var driven = Situation.stopped.make()
      let actions = driven.send(event)
      if case .syncRequested(let waiter?, _) = event {
        #expect(actions == [.answer([waiter], .stopped)])
      } else {
        #expect(actions == [], "\(event)")
      }
      #expect(driven.wait == nil)
    }
  }

  private static let up = DrivenMachine.up
  private static let elsewhere = DrivenMachine.elsewhere
  private static let down = DrivenMachine.down

  private static let everyEvent: [ServiceMachine.Event] = [
    .path(up), .path(down), .woke, .localChange(deletionsOnly: false), .remoteChange,
    .remoteAsKnown, .listenerEnded, .listenerUnavailable,
    .syncRequested(waiter: 1, retryFailed: true), .syncRequested(waiter: nil, retryFailed: false),
    .probed(.good), .probed(.cancelled), .probed(.failed(.offline)), .ran(.inSync), .ran(nil),
    .pause(until: nil), .resume, .reloaded(ServiceOptions()), .stop, .stopNow, .tick,
  ]

  static let rows: [Row] = online + syncing + probing + waiting + paused

  private static let online: [Row] = [
    Row(.stopped, .start, [.run(retryFailed: false), .changed(.syncing)]),
    Row(.online, .start),
    Row(.online, .tick),
    Row(.online, .localChange(deletionsOnly: false)),
    Row(.online, .remoteChange),
    Row(.online, .remoteAsKnown),
    Row(
      .online, .syncRequested(waiter: 1, retryFailed: false),
      [.run(retryFailed: false), .changed(.syncing)]),
    Row(
      .online, .syncRequested(waiter: nil, retryFailed: true),
      [.run(retryFailed: true), .changed(.syncing)]),
    Row(.online, .path(up)),
    Row(.online, .path(elsewhere)),
    Row(.online, .path(down), [.stopListening, .changed(.offline)]),
    Row(.online, .woke, [.freshConnections, .stopListening]),
    Row(.online, .listenerEnded),
    Row(.online, .listenerUnavailable),
    Row(.online, .pause(until: nil), [.stopListening, .changed(.paused)]),
    Row(.online, .resume),
    Row(
      .online, .reloaded(ServiceOptions()),
      [.stopListening, .run(retryFailed: false), .changed(.syncing)]),
    Row(.online, .stop, [.stopListening, .changed(.stopped)]),
    Row(.online, .stopNow, [.stopListening, .changed(.stopped)]),
    // What comes late, from work that is over, changes nothing.
    Row(.online, .probed(.good)),
    Row(.online, .ran(.offline)),
  ]

  private static let syncing: [Row] = [
    Row(.syncing, .ran(.inSync), [.listen, .changed(.online)]),
    Row(.syncing, .ran(.partial), [.listen, .changed(.online)]),
    Row(.syncing, .ran(.refused), [.listen, .changed(.online)]),
    Row(.syncing, .ran(.conflicts), [.listen, .changed(.online)]),
    Row(.syncing, .ran(.offline), [.changed(.backingOff)]),
    Row(.syncing, .ran(.protocol), [.changed(.backingOff)]),
    Row(.syncing, .ran(.configError), [.changed(.backingOff)]),
    Row(.syncing, .ran(.locked), [.changed(.backingOff)]),
    Row(.syncing, .ran(.storeError), [.changed(.backingOff)]),
    Row(.syncing, .ran(.unauthorized), [.changed(.needsAuth)]),
    Row(.syncing, .ran(nil), [.changed(.backingOff)]),
    Row(.syncing, .localChange(deletionsOnly: false)),
    Row(.syncing, .remoteChange),
    Row(.syncing, .syncRequested(waiter: 1, retryFailed: true)),
    Row(.syncing, .path(down)),
    Row(.syncing, .path(elsewhere)),
    Row(.syncing, .woke, [.cancelRun, .freshConnections]),
    Row(.syncing, .pause(until: nil), [.cancelRun]),
    Row(.syncing, .reloaded(ServiceOptions()), [.cancelRun]),
    Row(.syncing, .stop),
    Row(.syncing, .stopNow, [.cancelRun]),
    Row(.syncing, .probed(.good)),
  ]

  private static let probing: [Row] = [
    Row(.probing, .probed(.good), [.run(retryFailed: false), .changed(.syncing)]),
    Row(.probing, .probed(.failed(.offline)), [.changed(.backingOff)]),
    Row(.probing, .probed(.failed(.protocol)), [.changed(.backingOff)]),
    Row(.probing, .probed(.failed(.unauthorized)), [.changed(.needsAuth)]),
    // Nobody had cancelled it.
    Row(.probing, .probed(.cancelled), [.changed(.backingOff)]),
    Row(.probing, .localChange(deletionsOnly: false)),
    Row(.probing, .syncRequested(waiter: 1, retryFailed: false)),
    Row(.probing, .path(elsewhere)),
    Row(.probing, .path(down)),
    Row(.probing, .woke, [.cancelProbe, .freshConnections]),
    Row(.probing, .pause(until: nil), [.cancelProbe]),
    Row(.probing, .reloaded(ServiceOptions()), [.cancelProbe]),
    Row(.probing, .stop, [.cancelProbe]),
    Row(.probing, .ran(.inSync)),
  ]

  private static let waiting: [Row] =
    [.backingOff, .offline, .needsAuth].flatMap { from in
      [
        Row(from, .localChange(deletionsOnly: false)),
        Row(from, .remoteChange),
        Row(from, .woke, [.freshConnections]),
        Row(
          from, .syncRequested(waiter: 1, retryFailed: false), [.probe, .changed(.probing)]),
        Row(from, .pause(until: nil), [.changed(.paused)]),
        Row(from, .path(elsewhere), from == .offline ? [.changed(.backingOff)] : []),
        Row(from, .stop, [.changed(.stopped)]),
      ]
    } + [
      Row(.backingOff, .path(down), [.changed(.offline)]),
      Row(
        .backingOff, .reloaded(ServiceOptions()), [.run(retryFailed: false), .changed(.syncing)]),
      Row(
        .needsAuth, .reloaded(ServiceOptions()), [.run(retryFailed: false), .changed(.syncing)]),
      // There is no network still, as far as the machine knows.
      Row(.offline, .reloaded(ServiceOptions()), [.probe, .changed(.probing)]),
    ]

  private static let paused: [Row] = [
    Row(.paused, .localChange(deletionsOnly: false)),
    Row(.paused, .remoteChange),
    Row(.paused, .path(down)),
    Row(.paused, .path(elsewhere)),
    Row(.paused, .woke, [.freshConnections]),
    Row(.paused, .reloaded(ServiceOptions())),
    Row(
      .paused, .syncRequested(waiter: 1, retryFailed: false),
      [.run(retryFailed: false), .changed(.syncing)]),
    Row(.paused, .resume, [.run(retryFailed: false), .changed(.syncing)]),
    Row(.paused, .pause(until: nil)),
    Row(.paused, .stop, [.changed(.stopped)]),
  ]
}
