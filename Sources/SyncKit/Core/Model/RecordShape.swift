/// The places of a record's fields as a tree of members.
package struct RecordShape: Sendable {
  enum Field: Int, Sendable, CaseIterable {
    case id, title, body, state, dueAt, createdAt, updatedAt, etag, version, extra

    /// Whether the remote alone writes it.
    var isReadOnly: Bool { self == .etag || self == .version }
  }

  indirect enum Node: Sendable {
    case field(Field)
    case object([Member])
  }

  struct Member: Sendable {
    var name: String
    var node: Node
  }

  let root: [Member]

  /// - Throws: `UnholdableRecord` where two fields have one place, or one lies within another.
  package init(_ fields: RecordFields) throws(UnholdableRecord) {
    var places: [(Field, String)] = [
      (.id, fields.id), (.title, fields.title), (.body, fields.body), (.state, fields.state),
      (.dueAt, fields.dueAt), (.createdAt, fields.createdAt), (.updatedAt, fields.updatedAt),
    ]
    switch fields.extra {
    case .members: break
    case .object(let place), .text(let place): places.append((.extra, place))
    }
    var root: [Member] = []
    for (field, place) in places {
      guard Self.insert(field, at: RecordFields.path(of: place)[...], into: &root) else {
        throw UnholdableRecord("\(place) is the place of two fields, or lies within another")
      }
    }
    // What the remote alone writes gives way to a field of that name.
    for (field, place) in [(Field.etag, fields.etag), (.version, fields.version)]
    where !place.isEmpty {
      _ = Self.insert(field, at: RecordFields.path(of: place)[...], into: &root)
    }
    self.root = root
  }

  private static func insert(
    _ field: Field, at path: ArraySlice<String>, into members: inout [Member]
  ) -> Bool {
    guard let name = path.first else { return false }
    let rest = path.dropFirst()
    let index = members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
    guard let index else {
      if rest.isEmpty {
        members.append(Member(name: name, node: .field(field)))
        return true
      }
      var inner: [Member] = []
      guard insert(field, at: rest, into: &inner) else { return false }
      members.append(Member(name: name, node: .object(inner)))
      return true
    }
    guard !rest.isEmpty, case .object(var inner) = members[index].node,
      insert(field, at: rest, into: &inner)
    else { return false }
    members[index].node = .object(inner)
    return true
  }
}

/// A record taken apart by its shape.
struct RecordParts {
  /// The JSON of each field that was there, by the field's number.
  var values = [[UInt8]?](repeating: nil, count: RecordShape.Field.allCases.count)
  /// The members that no field names, separated by commas.
  var rest = ""
  /// The JSON of the server's own members.
  var owned: [String: [UInt8]] = [:]

  subscript(field: RecordShape.Field) -> [UInt8]? {
    get { values[field.rawValue] }
    set { values[field.rawValue] = newValue }
  }
}

extension RecordShape {
  /// Takes an object apart.
  ///
  /// - Parameters:
  ///   - namesTags: whether a member of the entity tag's name is the remote's, whatever its form.
  ///   - isOwned: whether a top-level member is the server's own.
  func parts(
    of json: [UInt8], namesTags: Bool = false, isOwned: @escaping (String) -> Bool
  ) throws(JSONError) -> RecordParts {
    var parts = RecordParts()
    let reader = JSONScanner(json)
    parts.rest = try Self.read(reader, root, &parts, namesTags: namesTags, isOwned: isOwned)
    return parts
  }

  /// - Returns: the members that no field names.
  private static func read(
    _ reader: JSONScanner, _ members: [Member], _ parts: inout RecordParts, namesTags: Bool,
    isOwned: ((String) -> Bool)?
  ) throws(JSONError) -> String {
    var rest = ""
    func keep(_ key: Range<Int>, _ value: String) {
      if !rest.isEmpty { rest += "," }
      rest += reader.text(at: key) + ":" + value
    }
    var scanner = reader
    try scanner.scanObject { (key, value) throws(JSONError) in
      guard let member = members.first(where: { reader.string(at: key, equals: $0.name) }) else {
        let name = try reader.string(at: key)
        if isOwned?(name) == true {
          parts.owned[name] = Array(reader.bytes[value])
        } else {
          keep(key, reader.text(at: value))
        }
        return
      }
      switch member.node {
      case .field(let field):
        parts[field] = Array(reader.bytes[value])
        // A member of that name may as well be the user's own.
        if field == .version || (field == .etag && !namesTags && !isTag(value, in: reader)) {
          keep(key, reader.text(at: value))
        }
      case .object(let inner):
        if reader.kind(of: value) == .null { return }
        guard reader.kind(of: value) == .object else {
          throw JSONError(offset: value.lowerBound, "\(member.name) should be an object")
        }
        let nested = try read(
          JSONScanner(Array(reader.bytes[value])), inner, &parts, namesTags: namesTags,
          isOwned: nil)
        if !nested.isEmpty { keep(key, "{\(nested)}") }
      }
    }
    return rest
  }

  private static func isTag(_ value: Range<Int>, in reader: JSONScanner) -> Bool {
    guard reader.kind(of: value) == .string, let text = try? reader.string(at: value) else {
      return false
    }
    return RecordDecoder.isEntityTag(text)
  }

  /// Puts an object together.
  ///
  /// - Parameters:
  ///   - values: the JSON of the fields, by their number.
  ///   - extra: the text of an object whose members stay where they are, or empty.
  func append(
    _ values: [[UInt8]?], extra: String, isOwned: @escaping (String) -> Bool,
    to bytes: inout [UInt8]
  ) throws(UnholdableRecord) {
    try Self.append(root, values, extra: Array(extra.utf8), isOwned: isOwned, to: &bytes)
  }

  private static func append(
    _ members: [Member], _ values: [[UInt8]?], extra: [UInt8], isOwned: ((String) -> Bool)?,
    to bytes: inout [UInt8]
  ) throws(UnholdableRecord) {
    let reader = JSONScanner(extra)
    var own: [(key: Range<Int>, name: String, value: Range<Int>)] = []
    if !extra.isEmpty {
      var scanner = reader
      do {
        try scanner.scanObject { (key, value) throws(JSONError) in
          own.append((key, try reader.string(at: key), value))
        }
      } catch {
        throw UnholdableRecord("its other members cannot be read: \(error.description)")
      }
    }
    bytes.append(json: "{")
    var isFirst = true
    func begin(_ name: [UInt8]) {
      if !isFirst { bytes.append(json: ",") }
      isFirst = false
      bytes.append(contentsOf: name)
      bytes.append(json: ":")
    }
    for member in members {
      var name: [UInt8] = []
      name.append(jsonString: member.name)
      switch member.node {
      case .field(let field):
        guard !field.isReadOnly, let value = values[field.rawValue] else { continue }
        begin(name)
        bytes.append(contentsOf: value)
      case .object(let inner):
        let nested = own.first { $0.name.utf8.elementsEqual(member.name.utf8) }?.value
        if let nested, reader.kind(of: nested) != .object {
          throw UnholdableRecord(
            "its own member \(member.name) is no object, and the remote keeps fields there")
        }
        begin(name)
        try append(
          inner, values, extra: nested.map { Array(extra[$0]) } ?? [], isOwned: nil, to: &bytes)
      }
    }
    for member in own {
      if let known = members.first(where: { $0.name.utf8.elementsEqual(member.name.utf8) }) {
        guard case .field(let field) = known.node else { continue }
        guard field.isReadOnly else {
          throw UnholdableRecord(
            "its own member \(member.name) has the name of one that the remote keeps a field in")
        }
      } else if isOwned?(member.name) == true {
        throw UnholdableRecord(
          "its own member \(member.name) has a name that the server keeps for itself")
      }
      begin(Array(extra[member.key]))
      bytes.append(contentsOf: extra[member.value])
    }
    bytes.append(json: "}")
  }
}
