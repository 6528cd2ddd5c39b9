/// Writes a record as the JSON object that remotes and `--json` use.
package struct RecordEncoder: Sendable {
  package let fields: RecordFields
  /// What stands before each value: the names are quoted once and not for every record.
  private let names: Names

  private struct Names: Sendable {
    let id, title, body, state, dueAt, createdAt, updatedAt: [UInt8]
  }

  package init(fields: RecordFields = .standard) {
    self.fields = fields
    func name(_ text: String, after separator: String = ",") -> [UInt8] {
      var bytes = Array(separator.utf8)
      bytes.append(jsonString: text)
      bytes.append(json: ":")
      return bytes
    }
    names = Names(
      id: name(fields.id, after: "{"), title: name(fields.title), body: name(fields.body),
      state: name(fields.state), dueAt: name(fields.dueAt), createdAt: name(fields.createdAt),
      updatedAt: name(fields.updatedAt))
  }

  package func encode(_ project: Project) -> [UInt8] {
    var bytes: [UInt8] = []
    append(project, to: &bytes)
    return bytes
  }

  /// Appends the record's object; a member of `extra` that has a known field's name is left out.
  package func append(_ project: Project, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: names.id)
    bytes.append(jsonString: project.id.string)
    bytes.append(contentsOf: names.title)
    bytes.append(jsonString: project.title)
    bytes.append(contentsOf: names.body)
    bytes.append(jsonString: project.body)
    bytes.append(contentsOf: names.state)
    bytes.append(jsonString: project.state)
    bytes.append(contentsOf: names.dueAt)
    bytes.append(jsonString: project.dueAt)
    if let created = project.createdAt {
      bytes.append(contentsOf: names.createdAt)
      bytes.append(jsonString: created.description)
    }
    bytes.append(contentsOf: names.updatedAt)
    bytes.append(jsonString: project.updatedAt.description)
    if !project.extra.json.isEmpty { append(project.extra, to: &bytes) }
    bytes.append(json: "}")
  }

  private func append(_ extra: ExtraMembers, to bytes: inout [UInt8]) {
    let reader = JSONScanner(Array(extra.json.utf8))
    var scanner = reader
    let names = [
      fields.id, fields.title, fields.body, fields.state, fields.dueAt, fields.createdAt,
      fields.updatedAt,
    ]
    let start = bytes.count
    do {
      try scanner.scanObject { (key, value) throws(JSONError) in
        if names.contains(where: { reader.string(at: key, equals: $0) }) { return }
        bytes.append(json: ",")
        bytes.append(contentsOf: reader.bytes[key])
        bytes.append(json: ":")
        bytes.append(contentsOf: reader.bytes[value])
      }
    } catch {
      // Nested deeper than the scanner goes: its members are taken as they stand, not lost.
      bytes.removeLast(bytes.count - start)
      let isEdge = { (byte: UInt8) in isJSONSpace(byte) }
      let object = reader.bytes.drop(while: isEdge).reversed().drop(while: isEdge).reversed()
      bytes.append(json: ",")
      bytes.append(contentsOf: object.dropFirst().dropLast())
    }
  }
}
