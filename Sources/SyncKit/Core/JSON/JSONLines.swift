/// The lines of a text of JSON values, one a line, as ranges of its bytes; blank ones are left out.
package struct JSONLines: Sequence, IteratorProtocol {
  private let bytes: [UInt8]
  private var index = 0

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package mutating func next() -> Range<Int>? {
    while index < bytes.count {
      let start = index
      let end = bytes.withUnsafeBufferPointer { bytes in
        bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      }
      index = end + 1
      if bytes[start..<end].contains(where: { !isJSONSpace($0) }) { return start..<end }
    }
    return nil
  }
}
