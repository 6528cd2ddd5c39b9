import CSodium

extension RangeHashing {
  /// BLAKE2b, keyed by the id of the collection: whoever may not read it does not know that either.
  package static func keyed(by remoteID: String) -> RangeHashing {
    let key = SHA256.hash(Array("syncd compare 1 \(remoteID)".utf8))
    return RangeHashing { id, version in
      let (id, entity) = (id.string.utf8, version.entity)
      return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: id.count + entity.count + 1) {
        text in
        text[0] = UInt8(truncatingIfNeeded: id.count)
        _ = text[1...].initialize(fromContentsOf: id)
        _ = text[(1 + id.count)...].initialize(fromContentsOf: entity)
        return hash(UnsafeBufferPointer(text), size: 32, key) { RangeSum(count: 1, bytes: $0) }
      }
    } digest: { sum in
      var text = (0..<8).map { UInt8(truncatingIfNeeded: sum.count >> ($0 * 8)) }
      text.append(contentsOf: sum.bytes)
      return text.withUnsafeBufferPointer { text in
        hash(text, size: 16, key) { bytes in
          RangeFingerprint(bits: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)))
        }
      }
    }
  }

  private static func hash<Result>(
    _ text: UnsafeBufferPointer<UInt8>, size: Int, _ key: [UInt8],
    _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { out in
      if let start = out.bindMemory(to: UInt8.self).baseAddress {
        crypto_generichash(start, size, text.baseAddress, UInt64(text.count), key, key.count)
      }
      return body(UnsafeRawBufferPointer(out))
    }
  }
}
