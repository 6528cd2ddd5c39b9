/// What of the machine's network decides whether a remote may be reached: enough to know when to try,
/// never enough to know that it will work.
public struct NetworkPath: Sendable, Hashable {
  /// Whether a link other than loopback is running and has an address that can reach something.
  public var isUp: Bool
  /// Differs when the links that are running, their addresses or the default routes differ. Equal
  /// within one process only.
  public var signature: UInt64

  public init(isUp: Bool, signature: UInt64) {
    self.isUp = isUp
    self.signature = signature
  }
}
