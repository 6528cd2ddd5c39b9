/// Reads and writes records in the form that a remote keeps them in.
package struct RecordCodec: Sendable {
  /// A record as it was read, with what the server says of it in members of its own.
  package struct Reading: Sendable {
    package var entry: RecordDecoder.Entry
    /// The JSON of the server's own members.
    package var owned: [String: [UInt8]]
  }

  package let fields: RecordFields
  private let decoder: RecordDecoder
  private let encoder: RecordEncoder
  /// Nil where the remote's form is our own but for the names.
  private let shape: RecordShape?
  private let owned: Set<String>
  private let ownedPrefix: String?

  /// - Parameters:
  ///   - owned: top-level members that the server keeps for itself: never part of a record.
  ///   - ownedPrefix: what the names of other such members begin with.
  /// - Throws: `UnholdableRecord` where the fields contradict each other.
  package init(
    fields: RecordFields = .standard, owned: Set<String> = [], ownedPrefix: String? = nil
  ) throws(UnholdableRecord) {
    self.fields = fields
    (self.owned, self.ownedPrefix) = (owned, ownedPrefix)
    let isFlat = fields.isFlat && owned.isEmpty && ownedPrefix == nil
    shape = isFlat ? nil : try RecordShape(fields)
    decoder = RecordDecoder(fields: isFlat ? fields : .standard)
    encoder = RecordEncoder(fields: isFlat ? fields : .standard)
  }

  /// Our own form.
  package static let standard = RecordCodec()

  private init() {
    fields = .standard
    (decoder, encoder, shape) = (RecordDecoder(), RecordEncoder(), nil)
    (owned, ownedPrefix) = ([], nil)
  }

  /// Whether a record may hold members on the remote that are no part of it.
  package var keepsOthers: Bool { fields.extra != .members }

  private func isOwned(_ name: String) -> Bool {
    owned.contains(name) || ownedPrefix.map { name.hasPrefix($0) } ?? false
  }

  // MARK: Reading

  /// Reads a listing's entry, or a record, with the server's own members.
  package func read(_ bytes: [UInt8]) throws(UnreadableRecord) -> Reading {
    guard let shape else { return Reading(entry: try decoder.entry(bytes), owned: [:]) }
    let parts: RecordParts
    do {
      parts = try shape.parts(of: bytes, isOwned: isOwned)
    } catch {
      throw UnreadableRecord(id: "", reason: "not a record: \(error)")
    }
    return Reading(
      entry: try entry(of: parts, try decoder.entry(try plain(parts))), owned: parts.owned)
  }

  package func entry(_ bytes: [UInt8]) throws(UnreadableRecord) -> RecordDecoder.Entry {
    try read(bytes).entry
  }

  package func digest(_ bytes: [UInt8]) throws(UnreadableRecord) -> RemoteDigest {
    if shape == nil { return try decoder.digest(bytes) }
    return try read(bytes).entry.digest
  }

  /// Reads a whole record; what it leaves out counts as empty.
  ///
  /// - Parameters:
  ///   - etag: the `ETag` of the response that carried it.
  ///   - namesTags: whether a member `etag` is the remote's, whatever its form.
  package func record(
    _ bytes: [UInt8], etag: String? = nil, namesTags: Bool = false
  ) throws(UnreadableRecord) -> RemoteRecord {
    try whole(bytes, etag: etag, namesTags: namesTags).record
  }

  /// Reads a whole record with the server's own members.
  package func whole(
    _ bytes: [UInt8], etag: String? = nil, namesTags: Bool = false
  ) throws(UnreadableRecord) -> (record: RemoteRecord, owned: [String: [UInt8]]) {
    guard let shape else {
      return (try decoder.record(bytes, etag: etag, namesTags: namesTags), [:])
    }
    let parts: RecordParts
    do {
      parts = try shape.parts(of: bytes, namesTags: namesTags, isOwned: isOwned)
    } catch {
      throw UnreadableRecord(id: "", reason: "not a record: \(error)")
    }
    let record = try decoder.record(try plain(parts), etag: etag, namesTags: namesTags)
    guard case .record(var whole) = try entry(of: parts, .record(record)) else {
      return (record, parts.owned)
    }
    if keepsOthers, !parts.rest.isEmpty { whole.others = ExtraMembers(trusted: "{\(parts.rest)}") }
    return (whole, parts.owned)
  }

  /// The same fields as our own form has them.
  private func plain(_ parts: RecordParts) throws(UnreadableRecord) -> [UInt8] {
    var bytes: [UInt8] = [UInt8(ascii: "{")]
    func append(_ name: StaticString, _ value: [UInt8]?) {
      guard let value else { return }
      bytes.append(json: bytes.count == 1 ? "\"" : ",\"")
      bytes.append(json: name)
      bytes.append(json: "\":")
      bytes.append(contentsOf: value)
    }
    append("id", parts[.id])
    append("title", parts[.title])
    append("body", parts[.body])
    append("state", try state(parts[.state], of: parts))
    append("dueAt", parts[.dueAt])
    append("createdAt", stamp(parts[.createdAt], fields.createdAtForm))
    append("updatedAt", stamp(parts[.updatedAt], fields.updatedAtForm))
    append("etag", parts[.etag])
    append("version", parts[.version])
    bytes.append(json: "}")
    return bytes
  }

  private func state(
    _ json: [UInt8]?, of parts: RecordParts
  ) throws(UnreadableRecord) -> [UInt8]? {
    guard let json, !fields.states.isEmpty,
      let word = try? JSONScanner(json).string(at: 0..<json.count)
    else { return json }
    if let ours = fields.states.first(where: { $0.value.utf8.elementsEqual(word.utf8) })?.key {
      var bytes: [UInt8] = []
      bytes.append(jsonString: ours)
      return bytes
    }
    guard fields.states[word] == nil else {
      throw unreadable(
        parts, "its state is \(word), a word that stands for another one in remote.fields")
    }
    return json
  }

  private func stamp(_ json: [UInt8]?, _ form: RecordFields.StampForm) -> [UInt8]? {
    guard let json, json.first != UInt8(ascii: "\""),
      let stamp = form.stamp(number: String(decoding: json, as: UTF8.self))
    else { return json }
    return Array("\"\(stamp)\"".utf8)
  }

  private func entry(
    of parts: RecordParts, _ entry: RecordDecoder.Entry
  ) throws(UnreadableRecord) -> RecordDecoder.Entry {
    guard case .record(var record) = entry else { return entry }
    record.project.extra = try extra(parts)
    return .record(record)
  }

  private func extra(_ parts: RecordParts) throws(UnreadableRecord) -> ExtraMembers {
    if fields.extra == .members {
      return ExtraMembers(trusted: parts.rest.isEmpty ? "" : "{\(parts.rest)}")
    }
    guard let json = parts[.extra], json != Array("null".utf8) else { return .none }
    do {
      if case .text = fields.extra {
        let text = try JSONScanner(json).string(at: 0..<json.count)
        return text.isEmpty ? .none : try ExtraMembers(json: text)
      }
      return try ExtraMembers(json: String(decoding: json, as: UTF8.self))
    } catch {
      throw unreadable(parts, "its other members are no JSON object: \(error.description)")
    }
  }

  private func unreadable(_ parts: RecordParts, _ reason: String) -> UnreadableRecord {
    let id = parts[.id].flatMap { try? JSONScanner($0).string(at: 0..<$0.count) }
    return UnreadableRecord(id: id ?? "", reason: reason)
  }

  // MARK: Writing

  /// Writes a record as the remote keeps it.
  ///
  /// - Throws: `UnholdableRecord` where it would not come back as it is.
  package func encode(_ project: Project) throws(UnholdableRecord) -> [UInt8] {
    guard let shape else { return encoder.encode(project) }
    var values = RecordParts()
    values[.id] = Self.json(project.id.string)
    values[.title] = Self.json(project.title)
    values[.body] = Self.json(project.body)
    values[.state] = Self.json(try word(for: project.state))
    values[.dueAt] = project.dueAt.map(Self.json) ?? Array("null".utf8)
    values[.createdAt] = project.createdAt.map { Array(fields.createdAtForm.json($0).utf8) }
    values[.updatedAt] = Array(fields.updatedAtForm.json(project.updatedAt).utf8)
    var extra = ""
    switch fields.extra {
    case .members: extra = project.extra.json
    case .object:
      values[.extra] = Array((project.extra.json.isEmpty ? "{}" : project.extra.json).utf8)
    case .text: values[.extra] = Self.json(project.extra.json)
    }
    var bytes: [UInt8] = []
    try shape.append(values.values, extra: extra, isOwned: isOwned, to: &bytes)
    return bytes
  }

  private func word(for state: String) throws(UnholdableRecord) -> String {
    if let word = fields.states[state] { return word }
    guard !fields.states.values.contains(state) else {
      throw UnholdableRecord(
        "its state is \(state), a word that stands for another one in remote.fields")
    }
    return state
  }

  private static func json(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(jsonString: text)
    return bytes
  }
}
