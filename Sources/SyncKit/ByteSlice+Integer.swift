extension ArraySlice<UInt8> {
  /// An integer in the machine's byte order; nil where the bytes end before it does.
  func integer<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type) -> Value? {
    guard offset >= 0, offset + MemoryLayout<Value>.size <= count else { return nil }
    return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Value.self) }
  }
}
