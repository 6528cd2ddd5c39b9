import CSodium

/// 64-bit hashes that tell versions apart. No secret and no defence: they only have to differ where
/// a store that was put back counts the same numbers again.
enum ContentsHash {
  private static let key = [UInt8](repeating: 0x53, count: 16)

  static func of(_ bytes: [UInt8]) -> UInt64 {
    var hash: UInt64 = 0
    withUnsafeMutableBytes(of: &hash) { out in
      guard let out = out.bindMemory(to: UInt8.self).baseAddress else { return }
      crypto_shorthash(out, bytes, UInt64(bytes.count), key)
    }
    return UInt64(littleEndian: hash)
  }

  /// The hash of a history that goes on with a change.
  static func chain(_ history: UInt64, _ change: UInt64) -> UInt64 {
    var bytes: [UInt8] = []
    for value in [history, change] {
      withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
    return of(bytes)
  }
}
