/// Randomness that is handed in: the system's, or a test's.
public struct RandomSource: RandomNumberGenerator, Sendable {
  private let generate: @Sendable () -> UInt64

  /// - Parameter generate: gives the next 64 random bits; may be called by several tasks at once.
  public init(_ generate: @escaping @Sendable () -> UInt64) {
    self.generate = generate
  }

  public func next() -> UInt64 { generate() }

  public static let system = RandomSource {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }
}
