/// Reads the members of a WebDAV folder out of the answer to `PROPFIND`, `Depth: 1`, as it comes. RFC 4918.
///
/// Every file whose name ends in `.json`, and does not begin with a dot, is handed over as an object: its
/// `name`, and of `etag`, `modified` and `length` what the server tells; `fault` where it cannot be a
/// project. The folder itself has to
/// be among the entries: an answer without it speaks of something else.
struct MultistatusStream: ElementStream {
  /// The longest text of a property or an address.
  private static let maximumText = 64 << 10

  /// The folder's path, decoded, without a slash at its end.
  private let folder: [UInt8]
  private let reader = ExpatReader()
  private var path: [String] = []
  private var text: [UInt8] = []
  private var response = Response()
  /// The properties of the `propstat` that is open, which count if its status says so.
  private var found: [String: String] = [:]
  private var status = ""
  private var hasFolder = false

  private struct Response {
    var addresses: [String] = []
    /// What was found of all of them, where there are no properties.
    var status: String?
    var properties: [String: String] = [:]
  }

  init(folder path: String) {
    var bytes = PercentEncoding.decodedBytes(path.utf8) ?? Array(path.utf8)
    while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    folder = bytes
  }

  mutating func consume(_ chunk: [UInt8], element body: ([UInt8]) throws -> Void) throws {
    guard let reader else { throw MultistatusError("no memory for its text") }
    for token in try reader.consume(chunk) { try take(token, body) }
  }

  mutating func finish() throws -> [UInt8] {
    guard let reader else { throw MultistatusError("no memory for its text") }
    for token in try reader.finish() { try take(token) { _ in } }
    guard hasFolder else { throw MultistatusError("the folder itself is not in it") }
    return []
  }

  private mutating func take(_ token: ExpatReader.Token, _ body: ([UInt8]) throws -> Void) throws {
    switch token {
    case .start(let name):
      guard !path.isEmpty || name == "DAV: multistatus" else {
        throw MultistatusError("it begins with \(ServerWords.cut(name)), not with DAV:multistatus")
      }
      path.append(name)
      text = []
      if path.count == 6, path.starts(with: Self.resourceType), name == "DAV: collection" {
        found["collection"] = ""
      }
    case .text(let bytes):
      guard text.count + bytes.count <= Self.maximumText else {
        throw MultistatusError("a text of over \(Self.maximumText) bytes")
      }
      text += bytes
    case .end:
      try close(body)
      path.removeLast()
      text = []
    }
  }

  private static let responsePath = ["DAV: multistatus", "DAV: response"]
  private static let propertyPath = responsePath + ["DAV: propstat", "DAV: prop"]
  private static let resourceType = propertyPath + ["DAV: resourcetype"]
  private static let properties = [
    "DAV: getetag": "etag", "DAV: getlastmodified": "modified", "DAV: getcontentlength": "length",
  ]

  private mutating func close(_ body: ([UInt8]) throws -> Void) throws {
    guard path.starts(with: Self.responsePath), let name = path.last else { return }
    let text = String(decoding: text, as: UTF8.self).trimmed
    switch (path.count, name) {
    case (3, "DAV: href"): response.addresses.append(text)
    case (3, "DAV: status"): response.status = text
    case (4, "DAV: status") where path[2] == "DAV: propstat": status = text
    case (5, _) where path.starts(with: Self.propertyPath):
      if let known = Self.properties[name], !text.isEmpty { found[known] = text }
    case (3, "DAV: propstat"):
      // What the server says it could not find is not there.
      if Self.isSuccess(status) { response.properties.merge(found) { $1 } }
      (found, status) = ([:], "")
    case (2, _):
      guard !response.addresses.isEmpty else { throw MultistatusError("an entry without its href") }
      for address in response.addresses { try tell(address, body) }
      response = Response()
    default: break
    }
  }

  /// Whether a status line, `HTTP/1.1 200 OK`, tells success.
  private static func isSuccess(_ line: String) -> Bool {
    let parts = line.split(separator: " ")
    return parts.count >= 2 && parts[1].utf8.count == 3 && parts[1].hasPrefix("2")
  }

  // MARK: Entries

  private mutating func tell(_ address: String, _ body: ([UInt8]) throws -> Void) throws {
    var path = Self.path(of: address)
    let isFolder = response.properties["collection"] != nil
    let fault = response.status.flatMap { Self.isSuccess($0) ? nil : $0 }
    if path.last == UInt8(ascii: "/") { path = path.dropLast() }
    if PercentEncoding.decodedBytes(path) == folder {
      if let fault {
        throw MultistatusError("of the folder itself it says \(ServerWords.cut(fault))")
      }
      guard isFolder else { throw MultistatusError("it is a file, not a folder") }
      hasFolder = true
      return
    }
    let slash = path.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
    guard PercentEncoding.decodedBytes(path[..<slash]) == folder else {
      throw MultistatusError(
        "it names \(ServerWords.cut(address)), which is not in the folder: remote.url is to be the "
          + "address that the server itself has")
    }
    let encoded = path[slash...].dropFirst()
    guard let bytes = PercentEncoding.decodedBytes(encoded),
      bytes.suffix(5).elementsEqual(".json".utf8), bytes.first != UInt8(ascii: ".")
    else { return }
    var element: [UInt8] = []
    let name = String(validating: bytes, as: UTF8.self)
    element.append(json: "{")
    element.appendMember(
      "name", string: name ?? String(decoding: encoded, as: UTF8.self), first: true)
    if name == nil {
      element.appendMember("fault", string: "its file's name is not UTF-8")
    } else if isFolder {
      element.appendMember("fault", string: "a folder has the name of its file")
    } else if let fault {
      element.appendMember("fault", string: "the server says of it: \(ServerWords.cut(fault))")
    }
    for (known, text) in response.properties.sorted(by: { $0.key < $1.key })
    where known != "collection" {
      element.append(json: ",")
      element.append(jsonString: known)
      element.append(json: ":")
      element.append(jsonString: text)
    }
    element.append(json: "}")
    try body(element)
  }

  /// The path of an address that may be a whole URL.
  private static func path(of address: String) -> ArraySlice<UInt8> {
    let bytes = Array(address.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
    guard bytes.first != UInt8(ascii: "/"),
      let colon = address.utf8.firstIndex(of: UInt8(ascii: ":")),
      address.utf8[colon...].starts(with: "://".utf8)
    else { return bytes[...] }
    let start = address.utf8.distance(from: address.utf8.startIndex, to: colon) + 3
    guard start < bytes.count, let slash = bytes[start...].firstIndex(of: UInt8(ascii: "/")) else {
      return []
    }
    return bytes[slash...]
  }
}
