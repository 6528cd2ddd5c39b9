/// What happened, as one number, and as text where it is asked for.
///
/// Unchecked: it lives on the scheduler's thread alone.
package final class Trace: @unchecked Sendable {
  /// FNV-1a over every line.
  package private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  package private(set) var lines: [String] = []
  private let keepsLines: Bool

  package init(keepsLines: Bool) {
    self.keepsLines = keepsLines
  }

  func note(_ line: @autoclosure () -> String) {
    let line = line()
    for byte in line.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    if keepsLines { lines.append(line) }
  }
}
