import SyncKit
import TestSupport

/// A world and everything that is to happen in it.
package struct Schedule: Equatable, Sendable {
  package var setup: Setup
  package var events: [Event]

  package init(setup: Setup, events: [Event]) {
    (self.setup, self.events) = (setup, events)
  }

  /// The schedule that a seed stands for.
  package init(seed: UInt64, devices: Int = 3, events count: Int = 60) {
    var draws = SeededGenerator(seed: seed)
    setup = Setup(drawnFrom: seed, devices: devices, using: &draws)
    events = []
    // Most worlds begin with something in them, and some begin empty.
    if Int.random(in: 0..<4, using: &draws) > 0 {
      for record in 0..<setup.records / 2 + 1 {
        events.append(Event(gap: 3, verb: .add, device: 0, record: record))
      }
      for device in 0..<devices { events.append(Event(gap: 40_000, verb: .sync, device: device)) }
    }
    let first = events.count
    while events.count < first + count { events.append(draw(&draws)) }
    drawMore(from: first)
  }

  /// What only some worlds have comes in between, drawn by a generator of its own.
  private mutating func drawMore(from first: Int) {
    var draws = SeededGenerator(seed: setup.seed ^ 0xE7E7)
    var verbs: [Event.Verb] = []
    if setup.policy == .manual { verbs += Array(repeating: .resolve, count: 6) }
    if setup.isPutBack {
      verbs += [.serverBackup, .serverBackup, .serverRestore, .serverRestore, .serverRestore]
    }
    for verb in verbs {
      var event = Event(gap: 50, verb: verb)
      event.device = Int.random(in: 0..<setup.devices, using: &draws)
      event.amount = Int64.random(in: 0...1, using: &draws)
      events.insert(event, at: Int.random(in: first...events.count, using: &draws))
    }
  }

  private static let weights: [(Event.Verb, Int)] = [
    (.edit, 34), (.add, 12), (.remove, 8), (.recreate, 3), (.sqlReplace, 4), (.sqlUpdate, 4),
    (.sqlRename, 2), (.sqlStamp, 2), (.sqlDelete, 2), (.sync, 40), (.crash, 4),
    (.crashWriting, 5), (.crashSending, 4), (.clock, 3), (.backup, 2), (.restore, 2), (.lose, 1),
    (.weather, 4), (.cutOff, 2), (.reconnect, 3), (.serverDown, 1), (.serverUp, 3), (.forget, 1),
    (.recall, 3),
  ]

  private func draw(_ draws: inout SeededGenerator) -> Event {
    let total = Self.weights.reduce(0) { $0 + $1.1 }
    var draw = Int.random(in: 0..<total, using: &draws)
    var verb = Event.Verb.sync
    for (candidate, weight) in Self.weights {
      draw -= weight
      if draw < 0 {
        verb = candidate
        break
      }
    }
    var event = Event(gap: Self.gap(&draws), verb: verb)
    event.device = Int.random(in: 0..<setup.devices, using: &draws)
    if verb == .sync, setup.followers > 0, Int.random(in: 0..<4, using: &draws) == 0 {
      event.device = setup.devices
    }
    event.record = Int.random(in: 0..<setup.records, using: &draws)
    event.other = Int.random(in: 0..<setup.records, using: &draws)
    event.amount =
      switch verb {
      case .crash: Int64.random(in: 0...4000, using: &draws)
      case .crashWriting: Int64.random(in: 0...60, using: &draws)
      case .crashSending: Int64.random(in: 0...5, using: &draws)
      case .clock: Self.skew(&draws)
      case .weather: Int64.random(in: 0...2, using: &draws)
      default: Int64.random(in: 0...1, using: &draws)
      }
    return event
  }

  private static func gap(_ draws: inout SeededGenerator) -> Int64 {
    switch Int.random(in: 0..<20, using: &draws) {
    case 0..<6: 0
    case 6..<12: Int64.random(in: 1...60, using: &draws)
    case 12..<16: Int64.random(in: 60...5000, using: &draws)
    case 16..<19: Int64.random(in: 5000...600_000, using: &draws)
    default: Int64.random(in: 600_000...3 * 86_400_000, using: &draws)
    }
  }

  private static func skew(_ draws: inout SeededGenerator) -> Int64 {
    [0, 0, -3, 5000, -86_400_000, 86_400_000, -400 * 86_400_000, 400 * 86_400_000]
      .randomElement(using: &draws) ?? 0
  }
}

extension Schedule: CustomStringConvertible {
  package var description: String {
    ([setup.description] + events.map(\.description)).joined(separator: "\n")
  }

  /// Reads what `description` wrote; empty lines and those that begin with `#` count for nothing.
  package init?(_ text: String) {
    let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") }
    guard let first = lines.first, let setup = Setup(first) else { return nil }
    let events = lines.dropFirst().compactMap { Event($0) }
    guard events.count == lines.count - 1 else { return nil }
    self.init(setup: setup, events: events)
  }
}
