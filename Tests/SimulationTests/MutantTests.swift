import Simulation
import Testing

@Suite("A rule broken on purpose")
struct MutantTests {
  /// Seeds that have found one before are tried first, then as many as may be needed.
  private static let seeds: [UInt64] = [1, 3, 5, 13, 34, 38, 52, 158] + Array(1...200)

  @Test("is found out", arguments: Mutant.all.indices)
  func isFound(index: Int) {
    let mutant = Mutant.all[index]
    let finder = Self.seeds.first { !simulate(Schedule(seed: $0), mutant: mutant).isSound }
    guard let finder else {
      Issue.record("nothing noticed: \(mutant.name)")
      return
    }
    #expect(simulate(Schedule(seed: finder)).isSound, "seed \(finder) fails by itself")
  }
}
