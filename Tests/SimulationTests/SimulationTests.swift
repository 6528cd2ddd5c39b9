import Simulation
import SyncKit
import Testing

/// Lets a world live on a thread of its own: the tests' pool must not wait for it.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    let isStarted = DedicatedThread.start { continuation.resume(returning: body()) }
    if !isStarted { continuation.resume(returning: body()) }
  }
}

@Suite("A simulated fleet")
struct SimulationTests {
  /// Seeds of a part; the parts run beside one another.
  private static let part: UInt64 = 25

  @Test("comes to rest with nothing lost, whatever happens to it", arguments: 0..<8)
  func soundness(part: UInt64) async {
    for seed in part * Self.part + 1...(part + 1) * Self.part {
      let complaint = await onThread { Self.complaint(of: seed) }
      if let complaint { Issue.record("\(complaint)") }
    }
  }

  /// What is wrong in the world of a seed, with the smallest schedule that shows it.
  private static func complaint(of seed: UInt64) -> String? {
    let outcome = simulate(Schedule(seed: seed))
    guard !outcome.isSound else { return nil }
    let smallest = Minimiser(outcome)?.minimised(outcome.schedule) ?? outcome.schedule
    let violations = outcome.violations.map { "\($0.rule): \($0.detail)" }
    return "seed \(seed): \(violations.joined(separator: "; "))\n\(smallest)"
  }

  @Test("happens the same way whenever the seed is the same")
  func determinism() async {
    for seed in UInt64(1)...12 {
      let schedule = Schedule(seed: seed)
      let outcomes = await onThread {
        [simulate(schedule), simulate(schedule), simulate(Schedule(seed: seed + 1))]
      }
      let (first, second) = (outcomes[0], outcomes[1])
      #expect(first.hash == second.hash && first.tally == second.tally, "seed \(seed)")
      #expect(outcomes[2].hash != first.hash)
    }
  }

  @Test("a schedule reads back as it was written")
  func text() {
    for seed in UInt64(1)...50 {
      let schedule = Schedule(seed: seed)
      #expect(Schedule("# a comment\n\(schedule)\n") == schedule)
    }
    #expect(Schedule("nothing") == nil)
  }
}
