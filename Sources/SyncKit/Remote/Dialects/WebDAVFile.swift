/// A file of a WebDAV folder: its name, and what tells one version of it from another.
struct WebDAVFile: Sendable {
  static let suffix = ".json"
  /// What most file systems hold, in bytes.
  static let maximumName = 255

  var name = ""
  var etag: String?
  /// When it was changed, as the server writes it: to the second.
  var modified: String?
  var length: Int?
  /// Why it can be no project.
  var fault: String?

  /// An entry of a listing.
  init(_ element: [UInt8]) {
    let entry = JSONScanner(element)
    name = entry.text(at: ["name"]) ?? ""
    etag = entry.text(at: ["etag"])
    modified = entry.text(at: ["modified"])
    length = entry.text(at: ["length"]).flatMap { Int($0) }
    fault = entry.text(at: ["fault"])
  }

  /// What the head of an answer tells of the file that it carries.
  ///
  /// - Parameter hasTags: whether the listing tells entity tags.
  init(_ head: HTTPResponseHead, length: Int, hasTags: Bool) {
    if hasTags { etag = head.headers["ETag"] } else { modified = head.headers["Last-Modified"] }
    self.length = length
    if hasTags, etag == nil { self.length = nil }
  }

  /// Its version, as every answer tells it: the tag, or when it was changed and how long it is.
  var version: Version? {
    if let etag { return Version(etag) }
    guard let modified, let length else { return nil }
    let moment = Timestamp(httpDate: modified)?.description ?? modified
    return Version("\(moment) \(length)")
  }

  /// How long before an answer the file in it was changed.
  static func age(of head: HTTPResponseHead) -> Duration? {
    let moments = ["Last-Modified", "Date"].compactMap { name in
      head.headers[name].flatMap { Timestamp(httpDate: $0) }
    }
    guard moments.count == 2, head.headers["Age"] == nil else { return nil }
    return .microseconds(moments[0].microseconds(until: moments[1]))
  }

  // MARK: Names

  /// The project that has this name.
  func id(_ codec: IDCodec) throws(UnreadableRecord) -> ProjectID {
    let text = String(decoding: name.utf8.dropLast(Self.suffix.utf8.count), as: UTF8.self)
    guard let plain = codec.decode(text) else {
      throw UnreadableRecord(
        id: text, reason: "its file's name, \(name), is not in the form of remote.ids")
    }
    do {
      return try ProjectID(plain)
    } catch {
      throw UnreadableRecord(id: plain, reason: "its file's name, \(name), is no id: \(error)")
    }
  }

  /// Why no file can have the name of an id.
  static func fault(ofID id: String) -> String? {
    if id.utf8.contains(UInt8(ascii: "/")) {
      return "no file has a / in its name; see remote.ids for ids that have"
    }
    if id.utf8.first == UInt8(ascii: ".") {
      return "a file whose name begins with a dot is hidden by many servers; see remote.ids"
    }
    let length = id.utf8.count + suffix.utf8.count
    return length <= maximumName
      ? nil : "its file's name would be \(length) bytes long; \(maximumName) is the most"
  }
}
