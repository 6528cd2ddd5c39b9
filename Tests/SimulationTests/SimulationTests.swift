import Simulation
import Testing

@Suite("A simulated fleet")
struct SimulationTests {
  /// Seeds of a part; the parts run beside one another.
  private static let part: UInt64 = 12

  @Test("comes to rest with nothing lost, whatever happens to it", arguments: 0..<8)
  func soundness(part: UInt64) {
    for seed in part * Self.part + 1...(part + 1) * Self.part {
      let outcome = simulate(Schedule(seed: seed))
      guard !outcome.isSound else { continue }
      let smallest = Minimiser(outcome)?.minimised(outcome.schedule) ?? outcome.schedule
      Issue.record(
        """
        seed \(seed): \(outcome.violations.map { "\($0.rule): \($0.detail)" }.joined(separator: "; "))
        \(smallest)
        """)
    }
  }

  @Test("happens the same way whenever the seed is the same")
  func determinism() {
    for seed in UInt64(1)...12 {
      let schedule = Schedule(seed: seed)
      let first = simulate(schedule)
      let second = simulate(schedule)
      #expect(first.hash == second.hash && first.tally == second.tally, "seed \(seed)")
      #expect(simulate(Schedule(seed: seed + 1)).hash != first.hash)
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
