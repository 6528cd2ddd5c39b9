/// Takes a JSON array apart while its bytes arrive, in memory bounded by its longest element.
public struct JSONArrayReader {
  private var stream = JSONElementStream()

  public init() {}

  /// Takes the next bytes, and hands over every element whose last byte is among them.
  ///
  /// - Throws: `JSONError` when the text cannot be an array; what `element` throws.
  public mutating func consume(
    _ chunk: [UInt8], element: ([UInt8]) throws -> Void
  ) throws {
    try stream.consume(chunk, element: element)
  }

  /// Says that no more bytes will come.
  ///
  /// - Throws: `JSONError` when the array has not ended.
  public mutating func finish() throws(JSONError) {
    _ = try stream.finish()
  }
}
