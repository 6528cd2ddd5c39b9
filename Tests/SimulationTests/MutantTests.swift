import Simulation
import Testing

@Suite("A rule broken on purpose")
struct MutantTests {
  /// As many as `make test` looks at in any case.
  private static let seeds: ClosedRange<UInt64> = 1...200

  @Test("is found out", arguments: Mutant.all.indices)
  func isFound(index: Int) {
    let mutant = Mutant.all[index]
    let finder = Self.seeds.first { !simulate(Schedule(seed: $0), mutant: mutant).isSound }
    #expect(finder != nil, "nothing noticed: \(mutant.name)")
  }
}
