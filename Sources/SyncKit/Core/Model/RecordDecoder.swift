/// Reads a record, or a listing's entry, from the JSON that a remote sent.
package struct RecordDecoder: Sendable {
  package let fields: RecordFields

  package init(fields: RecordFields = .standard) {
    self.fields = fields
  }

  /// Reads what set arithmetic needs; members it does not need are only checked to be JSON.
  package func digest(_ bytes: [UInt8]) throws(UnreadableRecord) -> RemoteDigest {
    let members = try members(of: bytes, keepsExtra: false)
    let id = try id(of: members)
    let stamp = try stamp(of: members)
    return RemoteDigest(
      id: id, updatedAt: stamp, version: version(of: members, stamp: stamp),
      etag: members.etag)
  }

  /// An entry of a listing, by what it carries.
  package enum Entry {
    case digest(RemoteDigest)
    case record(RemoteRecord)

    package var digest: RemoteDigest {
      switch self {
      case .digest(let digest): digest
      case .record(let record): record.digest
      }
    }
  }

  /// Reads a listing's entry.
  ///
  /// It is a whole record only if it has a title, a body and a state. A summary that leaves one of
  /// them out must not be taken for the record, or what it leaves out would count as empty.
  package func entry(_ bytes: [UInt8]) throws(UnreadableRecord) -> Entry {
    let members = try members(of: bytes, keepsExtra: true)
    if members.isWhole {
      return .record(try record(of: members, etag: nil))
    }
    let stamp = try stamp(of: members)
    return .digest(
      RemoteDigest(
        id: try id(of: members), updatedAt: stamp, version: version(of: members, stamp: stamp),
        etag: members.etag))
  }

  /// Reads a whole record.
  ///
  /// - Parameters:
  ///   - etag: the `ETag` of the response that carried the record, if it had one; it is the record's
  ///     entity tag then, unless the record names its own.
  ///   - namesTags: whether the remote's listing has shown that a member `etag` is the remote's,
  ///     whatever its form.
  package func record(
    _ bytes: [UInt8], etag: String? = nil, namesTags: Bool = false
  ) throws(UnreadableRecord) -> RemoteRecord {
    try record(
      of: try members(of: bytes, keepsExtra: true, namesTags: namesTags), etag: etag)
  }

  private func record(
    of members: Members, etag: String?
  ) throws(UnreadableRecord) -> RemoteRecord {
    let id = try id(of: members)
    let stamp = try stamp(of: members)
    var project = Project(id: id, updatedAt: stamp)
    project.title = try text(members.title, "title", of: members) ?? ""
    project.body = try text(members.body, "body", of: members) ?? ""
    project.state = try text(members.state, "state", of: members) ?? "todo"
    project.dueAt = try text(members.dueAt, "dueAt", of: members)
    if let created = members.createdAt, members.scanner.kind(of: created) != .null {
      guard let stamp = timestamp(at: created, in: members.scanner) else {
        throw unreadable(members, "\(fields.createdAt) is not a time")
      }
      project.createdAt = stamp
    }
    project.extra = ExtraMembers(trusted: members.extra.isEmpty ? "" : "{\(members.extra)}")
    return RemoteRecord(
      project: project, version: version(of: members, stamp: stamp), etag: members.etag ?? etag)
  }

  // MARK: Members

  private struct Members {
    var scanner: JSONScanner
    var id: Range<Int>?
    var title: Range<Int>?
    var body: Range<Int>?
    var state: Range<Int>?
    var dueAt: Range<Int>?
    var createdAt: Range<Int>?
    var updatedAt: Range<Int>?
    var etag: String?
    var version: String?
    var extra = ""

    /// Whether there is all that makes a record, rather than a listing's short entry of it.
    var isWhole: Bool { title != nil && body != nil && state != nil }

    mutating func keep(_ key: Range<Int>, _ value: Range<Int>) throws(JSONError) {
      _ = try scanner.string(at: key)
      if !extra.isEmpty { extra += "," }
      extra += scanner.text(at: key) + ":" + scanner.text(at: value)
    }
  }

  private func members(
    of bytes: [UInt8], keepsExtra: Bool, namesTags: Bool = false
  ) throws(UnreadableRecord) -> Members {
    let reader = JSONScanner(bytes)
    var scanner = reader
    var members = Members(scanner: reader)
    var tag: (key: Range<Int>, value: Range<Int>)?
    do {
      try scanner.scanObject { (key, value) throws(JSONError) in
        if reader.string(at: key, equals: fields.id) {
          members.id = value
        } else if reader.string(at: key, equals: fields.updatedAt) {
          members.updatedAt = value
        } else if reader.string(at: key, equals: fields.title) {
          members.title = value
        } else if reader.string(at: key, equals: fields.body) {
          members.body = value
        } else if reader.string(at: key, equals: fields.state) {
          members.state = value
        } else if reader.string(at: key, equals: fields.dueAt) {
          members.dueAt = value
        } else if reader.string(at: key, equals: fields.createdAt) {
          members.createdAt = value
        } else if reader.string(at: key, equals: fields.etag), reader.kind(of: value) == .string {
          tag = (key, value)
        } else {
          if reader.string(at: key, equals: fields.version) {
            members.version = try scalar(at: value, in: reader)
          }
          if keepsExtra { try members.keep(key, value) }
        }
      }
      if let (key, value) = tag {
        let text = try reader.string(at: value)
        if namesTags || !members.isWhole || Self.isEntityTag(text) {
          members.etag = text
        } else {
          members.version = members.version ?? text
          if keepsExtra { try members.keep(key, value) }
        }
      }
    } catch {
      throw UnreadableRecord(id: idText(of: members) ?? "", reason: "not a record: \(error)")
    }
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw unreadable(members, "the record is not UTF-8")
    }
    return members
  }

  /// Whether a text has the form of an entity tag. RFC 9110, section 8.8.3.
  static func isEntityTag(_ text: String) -> Bool {
    let opaque = text.hasPrefix("W/") ? text.utf8.dropFirst(2) : text.utf8[...]
    let quote = UInt8(ascii: "\"")
    return opaque.count >= 2 && opaque.first == quote && opaque.last == quote
  }

  private func scalar(at value: Range<Int>, in reader: JSONScanner) throws(JSONError) -> String? {
    switch reader.kind(of: value) {
    case .string: try reader.string(at: value)
    case .number: reader.text(at: value)
    default: nil
    }
  }

  private func idText(of members: Members) -> String? {
    guard let value = members.id else { return nil }
    guard members.scanner.kind(of: value) == .string else { return members.scanner.text(at: value) }
    return (try? members.scanner.string(at: value)) ?? members.scanner.text(at: value)
  }

  private func id(of members: Members) throws(UnreadableRecord) -> ProjectID {
    guard let value = members.id else { throw unreadable(members, "no \(fields.id)") }
    guard members.scanner.kind(of: value) == .string else {
      throw UnreadableRecord(
        id: members.scanner.text(at: value), reason: "the \(fields.id) is not a string")
    }
    do {
      return try ProjectID(try members.scanner.string(at: value))
    } catch let error as InvalidProjectID {
      throw UnreadableRecord(id: error.text, reason: error.description)
    } catch {
      throw unreadable(members, "the \(fields.id) cannot be read: \(error)")
    }
  }

  private func stamp(of members: Members) throws(UnreadableRecord) -> Timestamp {
    guard let value = members.updatedAt, members.scanner.kind(of: value) != .null else {
      throw unreadable(members, "no \(fields.updatedAt)")
    }
    guard let stamp = timestamp(at: value, in: members.scanner) else {
      let text = members.scanner.text(at: value).prefix(60)
      throw unreadable(members, "\(fields.updatedAt) is not a time: \(text)")
    }
    return stamp
  }

  private func timestamp(at value: Range<Int>, in scanner: JSONScanner) -> Timestamp? {
    switch scanner.kind(of: value) {
    case .number: Timestamp(epoch: scanner.text(at: value))
    case .string:
      (try? scanner.string(at: value)).flatMap { Timestamp(rfc3339: $0) ?? Timestamp(epoch: $0) }
    default: nil
    }
  }

  /// A record's version is its ETag; else its revision together with its stamp, since a member of
  /// that name may as well be the user's own and then changes on its own terms; else its stamp.
  ///
  /// A member `etag` is an entity tag where it has the quotes of one (RFC 9110, 8.8.3), or stands in a
  /// listing's short entry, or the listing has shown that it is. Else it is the user's own.
  private func version(of members: Members, stamp: Timestamp) -> Version {
    if let etag = members.etag { return Version(etag) }
    if let version = members.version { return Version("\(version)@\(stamp)") }
    return Version(stamp)
  }

  private func text(
    _ value: Range<Int>?, _ name: String, of members: Members
  ) throws(UnreadableRecord) -> String? {
    guard let value, members.scanner.kind(of: value) != .null else { return nil }
    guard members.scanner.kind(of: value) == .string else {
      throw unreadable(members, "\(name) is not a string")
    }
    do {
      return try members.scanner.string(at: value)
    } catch {
      throw unreadable(members, "\(name) holds \(error)")
    }
  }

  private func unreadable(_ members: Members, _ reason: String) -> UnreadableRecord {
    UnreadableRecord(id: idText(of: members) ?? "", reason: reason)
  }
}
