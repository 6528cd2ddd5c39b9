/// How one world ended.
package struct Outcome: Sendable {
  package var schedule: Schedule
  package var violations: [World.Violation]
  package var tally: World.Tally
  /// The same for the same schedule.
  package var hash: UInt64
  /// What happened, where that was asked for.
  package var lines: [String]

  package var isSound: Bool { violations.isEmpty }
}

/// Lets a schedule happen, from the first event to the last check, on this thread.
package func simulate(
  _ schedule: Schedule, mutant: Mutant = .none, keepsLines: Bool = false
) -> Outcome {
  let trace = Trace(keepsLines: keepsLines)
  let world = World(schedule.setup, mutant: mutant, trace: trace)
  let end = End()
  world.scheduler.start {
    await world.perform(schedule.events)
    await world.settle()
    end.isReached = true
  }
  if !world.scheduler.run(until: { end.isReached }) {
    world.report("stuck", "something waits for what never comes")
  }
  world.count { $0.steps = world.scheduler.steps }
  defer { for device in world.devices { device.end() } }
  return Outcome(
    schedule: schedule, violations: world.violations, tally: world.tally, hash: trace.hash,
    lines: trace.lines)
}

/// Unchecked: it lives on the scheduler's thread alone.
private final class End: @unchecked Sendable {
  var isReached = false
}
