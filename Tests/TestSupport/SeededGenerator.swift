public import SyncKit
import Synchronization

/// A random number generator that a seed repeats: SplitMix64.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) {
    state = seed
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension RandomSource {
  /// Randomness that a seed repeats, as long as one task at a time asks for it.
  public static func seeded(_ seed: UInt64) -> RandomSource {
    let shared = SharedGenerator(seed: seed)
    return RandomSource { shared.next() }
  }
}

private final class SharedGenerator: Sendable {
  private let generator: Mutex<SeededGenerator>

  init(seed: UInt64) {
    generator = Mutex(SeededGenerator(seed: seed))
  }

  func next() -> UInt64 { generator.withLock { $0.next() } }
}
