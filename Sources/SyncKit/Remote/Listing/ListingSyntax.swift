/// What a listing is written in.
enum ListingSyntax: Sendable {
  /// JSON, with the array of entries at a path.
  case json(at: [String])
  /// What WebDAV says of a folder, whose path this is.
  case multistatus(folder: String)

  var stream: any ElementStream {
    switch self {
    case .json(let path): JSONElementStream(path: path)
    case .multistatus(let folder): MultistatusStream(folder: folder)
    }
  }

  var name: String {
    switch self {
    case .json: "JSON"
    case .multistatus: "XML"
    }
  }

  func accepts(_ status: Int) -> Bool {
    switch self {
    case .json: status == 200 || status == 206
    case .multistatus: status == 207
    }
  }

  func accepts(_ type: MediaType) -> Bool {
    switch self {
    case .json: type.isJSON
    case .multistatus: type.isXML
    }
  }

  /// Whether a text of this kind begins with a byte, after white space.
  func begins(with byte: UInt8) -> Bool {
    switch self {
    case .json: byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{")
    case .multistatus: byte == UInt8(ascii: "<") || byte == 0xEF
    }
  }
}

/// Splits a listing into its entries while it arrives; each is an object in JSON, whatever the listing
/// is written in.
protocol ElementStream {
  /// - Throws: where the text cannot be a listing, whatever follows; what `body` throws.
  mutating func consume(_ chunk: [UInt8], element body: ([UInt8]) throws -> Void) throws

  /// Says that no more bytes will come.
  ///
  /// - Returns: the text around the entries, where there is any to speak of.
  /// - Throws: where the text is not whole.
  mutating func finish() throws -> [UInt8]
}

extension JSONElementStream: ElementStream {}
