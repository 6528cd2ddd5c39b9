/// Splits a JSON listing into its elements while it arrives.
///
/// The listing is an array, or an object that holds one at `path`. Every element is handed over as
/// soon as its last byte is there; what stands around the array is kept, up to a limit, as the
/// *envelope*, with an empty array in its place. `finish()` says whether the text was whole: a
/// listing cut short, however neatly, is an error and never a shorter listing.
package struct JSONElementStream {
  package struct Limits: Sendable {
    /// The longest element, in bytes.
    package var element = 64 << 20
    /// The longest envelope, in bytes.
    package var envelope = 1 << 20

    package init() {}
  }

  private enum State {
    /// Outside the array: before it, after it, or in another member of the envelope.
    case envelope
    /// After `[`: an element or `]`.
    case first
    /// After a comma: an element.
    case next
    case element
    /// After an element: a comma or `]`.
    case separator
  }

  private let path: [String]
  private let limits: Limits
  private var state = State.envelope
  private var element: [UInt8] = []
  private var offset = 0
  private var found = false
  private var nesting = JSONNesting()
  private var outside = JSONEnvelope()

  package init(path: [String] = [], limits: Limits = Limits()) {
    self.path = path
    self.limits = limits
  }

  /// The elements handed over so far.
  package private(set) var count = 0

  /// Takes the next bytes of the text.
  ///
  /// - Throws: `JSONError` when the text cannot be a listing, whatever follows; what `body` throws.
  package mutating func consume(
    _ chunk: [UInt8], element body: ([UInt8]) throws -> Void
  ) throws {
    var index = 0
    while index < chunk.count {
      let byte = chunk[index]
      switch state {
      case .envelope:
        try consumeEnvelope(byte, at: index)
        index += 1
      case .element:
        let start = index
        var ended = false
        while index < chunk.count, !ended {
          ended = nesting.step(chunk[index])
          if !ended || nesting.includesLast { index += 1 }
        }
        guard nesting.deepest <= JSONScanner.maximumDepth else {
          throw JSONError(offset: offset + index, "nested too deep")
        }
        element.append(contentsOf: chunk[start..<index])
        guard !element.isEmpty else {
          throw JSONError(offset: offset + index, "expected an element")
        }
        guard element.count <= limits.element else {
          throw JSONError(offset: offset + index, "an element of over \(limits.element) bytes")
        }
        if ended {
          count += 1
          state = .separator
          try body(element)
          element.removeAll(keepingCapacity: element.capacity < 1 << 20)
        }
      default:
        if isJSONSpace(byte) {
          index += 1
        } else if try consumeBetween(byte, at: index) {
          index += 1
        }
      }
    }
    offset += chunk.count
  }

  /// Says that no more bytes will come.
  ///
  /// - Returns: the envelope: the text with an empty array where the elements were.
  /// - Throws: `JSONError` when the text ended early or has no array at the path.
  package mutating func finish() throws(JSONError) -> [UInt8] {
    guard state == .envelope else {
      throw JSONError(offset: offset, "the text ends inside the list")
    }
    var scanner = JSONScanner(outside.bytes)
    _ = try scanner.scanDocument()
    guard found else {
      let place = path.isEmpty ? "not an array" : "no array at /\(path.joined(separator: "/"))"
      throw JSONError(offset: offset, place)
    }
    return outside.bytes
  }

  private mutating func consumeEnvelope(_ byte: UInt8, at index: Int) throws(JSONError) {
    if byte == UInt8(ascii: "["), outside.isAt(path) {
      // Whichever of two lists were taken, records of the other would look deleted.
      guard !found else { throw JSONError(offset: offset + index, "a second list") }
      found = true
      state = .first
      outside.append(byte)
      return
    }
    guard outside.bytes.count < limits.envelope else {
      throw JSONError(offset: offset + index, "over \(limits.envelope) bytes around the list")
    }
    outside.append(byte)
    guard outside.depth <= JSONScanner.maximumDepth else {
      throw JSONError(offset: offset + index, "nested too deep")
    }
    if !found, path.isEmpty, !isJSONSpace(byte) {
      throw JSONError(offset: offset + index, "not an array")
    }
  }

  /// Takes a byte that stands between elements; false leaves it to the element that it begins.
  private mutating func consumeBetween(_ byte: UInt8, at index: Int) throws(JSONError) -> Bool {
    switch (state, byte) {
    case (.first, UInt8(ascii: "]")), (.separator, UInt8(ascii: "]")):
      state = .envelope
      outside.append(byte)
      return true
    case (.separator, UInt8(ascii: ",")):
      state = .next
      return true
    case (.separator, _), (_, UInt8(ascii: ",")), (_, UInt8(ascii: "]")):
      throw JSONError(offset: offset + index, "expected a comma or an element")
    default:
      state = .element
      nesting = JSONNesting()
      return false
    }
  }
}
