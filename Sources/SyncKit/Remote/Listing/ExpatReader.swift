internal import CExpat

/// Reads XML with namespaces as it comes, by libexpat. Memory stays bounded whatever comes: a document type,
/// without which there are no entities to expand, is refused, and so are deep nesting and endless pieces.
final class ExpatReader {
  enum Token: Equatable {
    /// An element's namespace and name, with a space between.
    case start(String)
    case end
    case text([UInt8])
  }

  private static let maximumDepth = 64
  /// The longest tag, comment and the like.
  private static let maximumPiece = 1 << 20

  private let parser: OpaquePointer
  private let gathered = Gathered()
  private var taken = 0

  /// What the callbacks of one call leave.
  private final class Gathered {
    var tokens: [Token] = []
    var depth = 0
    var fault: String?
  }

  init?() {
    guard let parser = XML_ParserCreateNS(nil, XML_Char(UInt8(ascii: " "))) else { return nil }
    self.parser = parser
    XML_SetUserData(parser, Unmanaged.passUnretained(gathered).toOpaque())
    XML_SetElementHandler(parser) { data, name, _ in
      guard let gathered = ExpatReader.gathered(data), let name else { return }
      gathered.depth += 1
      if gathered.depth > ExpatReader.maximumDepth { gathered.fault = "nested too deep" }
      gathered.tokens.append(.start(String(cString: name)))
    } _: { data, _ in
      guard let gathered = ExpatReader.gathered(data) else { return }
      gathered.depth -= 1
      gathered.tokens.append(.end)
    }
    XML_SetCharacterDataHandler(parser) { data, text, count in
      guard let gathered = ExpatReader.gathered(data), let text else { return }
      let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
      gathered.tokens.append(.text(Array(bytes)))
    }
    XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, _ in
      ExpatReader.gathered(data)?.fault = "a document type, which no answer of WebDAV has"
    }
  }

  deinit { XML_ParserFree(parser) }

  private static func gathered(_ data: UnsafeMutableRawPointer?) -> Gathered? {
    data.map { Unmanaged<Gathered>.fromOpaque($0).takeUnretainedValue() }
  }

  /// - Throws: `MultistatusError` where this is no XML, whatever follows.
  func consume(_ bytes: [UInt8]) throws(MultistatusError) -> [Token] {
    var tokens: [Token] = []
    // A piece at a time, so that what is refused is refused early.
    for start in stride(from: 0, to: bytes.count, by: 16 << 10) {
      let piece = bytes[start..<min(start + 16 << 10, bytes.count)]
      let status = piece.withUnsafeBytes { raw in
        XML_Parse(
          parser, raw.baseAddress?.assumingMemoryBound(to: XML_Char.self), Int32(raw.count), 0)
      }
      taken += piece.count
      tokens += try gatheredTokens(status)
      guard taken - Int(XML_GetCurrentByteIndex(parser)) <= Self.maximumPiece else {
        throw MultistatusError("a tag of over \(Self.maximumPiece) bytes")
      }
    }
    return tokens
  }

  /// Says that no more bytes will come.
  ///
  /// - Throws: `MultistatusError` where the text is not whole.
  func finish() throws(MultistatusError) -> [Token] {
    try gatheredTokens(XML_Parse(parser, nil, 0, 1))
  }

  private func gatheredTokens(_ status: XML_Status) throws(MultistatusError) -> [Token] {
    if let fault = gathered.fault { throw MultistatusError("\(fault), \(place)") }
    guard status == XML_STATUS_OK else {
      let words = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) }
      throw MultistatusError("no XML that is whole: \(words ?? "unknown"), \(place)")
    }
    defer { gathered.tokens = [] }
    return gathered.tokens
  }

  private var place: String { "in line \(XML_GetCurrentLineNumber(parser))" }
}

/// A text that is not the multistatus of a folder, and why.
struct MultistatusError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
