import CSodium

extension RangeHashing {
  /// BLAKE2b, keyed by the id of the collection: whoever may not read it does not know that either.
  package static func keyed(by remoteID: String) -> RangeHashing {
    let key = SHA256.hash(Array("syncd compare 1 \(remoteID)".utf8))
    return RangeHashing { id, version in
      var text: [UInt8] = []
      text.reserveCapacity(id.string.utf8.count + version.raw.utf8.count + 1)
      text.append(UInt8(truncatingIfNeeded: id.string.utf8.count))
      text.append(contentsOf: id.string.utf8)
      text.append(contentsOf: version.entity)
      return withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { out in
        if let start = out.bindMemory(to: UInt8.self).baseAddress {
          crypto_generichash(start, 32, text, UInt64(text.count), key, key.count)
        }
        return RangeSum(count: 1, bytes: UnsafeRawBufferPointer(out))
      }
    } digest: { sum in
      var text = (0..<8).map { UInt8(truncatingIfNeeded: sum.count >> ($0 * 8)) }
      text.append(contentsOf: sum.bytes)
      var digits: [UInt8] = []
      for byte in hash(text, size: 16, key) {
        digits.append(hexDigit: byte >> 4)
        digits.append(hexDigit: byte & 0xF)
      }
      return String(decoding: digits, as: UTF8.self)
    }
  }

  private static func hash(_ text: [UInt8], size: Int, _ key: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: size) { out, count in
      if let start = out.baseAddress {
        crypto_generichash(start, size, text, UInt64(text.count), key, key.count)
      }
      count = size
    }
  }
}
