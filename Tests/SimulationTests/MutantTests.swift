import Simulation
import Testing

@Suite("A rule broken on purpose")
struct MutantTests {
  /// Seeds that have found one before are tried first, then as many as may be needed.
  private static let seeds: [UInt64] = [1, 2, 4, 5, 38, 168, 176, 937] + Array(1...200)

  @Test("is found out", arguments: Mutant.all.indices)
  func isFound(index: Int) async {
    let mutant = Mutant.all[index]
    let finder = await onThread {
      Self.seeds.first { !simulate(Schedule(seed: $0), mutant: mutant).isSound }
    }
    guard let finder else {
      Issue.record("nothing noticed: \(mutant.name)")
      return
    }
    let isSound = await onThread { simulate(Schedule(seed: finder)).isSound }
    #expect(isSound, "seed \(finder) fails by itself")
  }
}
