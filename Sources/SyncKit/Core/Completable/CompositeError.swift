/// Every failure of operations that ran whatever failed among them.
public struct CompositeError: Error, Sendable, CustomStringConvertible {
  public struct Failure: Sendable {
    /// The failed operation's place among the arguments, from 0.
    public let index: Int
    public let error: any Error

    public init(index: Int, error: any Error) {
      self.index = index
      self.error = error
    }
  }

  /// At least one, in the order of the arguments.
  public let failures: [Failure]

  public init(failures: [Failure]) {
    self.failures = failures.sorted { $0.index < $1.index }
  }

  public var errors: [any Error] { failures.map(\.error) }

  public var description: String {
    guard let first = failures.first else { return "nothing failed" }
    let others = failures.count - 1
    return others == 0 ? "\(first.error)" : "\(first.error) (and \(others) more)"
  }
}
