/// Where a collection of Firestore is: the paths of its operations, and the names of its documents.
struct FirestoreCollection: Sendable {
  /// The path of the database's documents, `/v1/projects/P/databases/D/documents`.
  let root: String
  /// The path of what the collection is in: the database, or a document of another collection.
  let parent: String
  /// The collection's own name.
  let name: String
  /// What the names of its documents begin with.
  private let prefix: String

  /// Nil where a path is not that of a collection.
  init?(path: String) {
    let parts = path.split(separator: "/")
    guard let start = parts.firstIndex(of: "v1"), parts.count >= start + 7,
      parts[start + 1] == "projects", parts[start + 3] == "databases",
      parts[start + 5] == "documents", !(parts.count - start).isMultiple(of: 2)
    else { return nil }
    // Names stand in requests as they are, and in the URL percent-encoded.
    let names = parts[(start + 1)...].compactMap(Self.decoded)
    guard names.count == parts.count - start - 1, let name = names.last else { return nil }
    root = parts[...(start + 5)].map { "/\($0)" }.joined()
    parent = parts.dropLast().map { "/\($0)" }.joined()
    prefix = names.joined(separator: "/") + "/"
    self.name = name
  }

  /// The name of the document that has an id.
  func document(_ id: String) -> String { prefix + id }

  /// The id in a document's name; nil where it is in another collection. By bytes: what an id begins
  /// with may join the slash before it.
  func id(of document: String) -> String? {
    guard document.utf8.starts(with: prefix.utf8) else { return nil }
    return String(decoding: document.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
  }

  private static func decoded(_ segment: Substring) -> String? {
    PercentEncoding.decoded(segment.utf8).flatMap { $0.utf8.contains(UInt8(ascii: "/")) ? nil : $0 }
  }
}
