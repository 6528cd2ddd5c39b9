/// Writes a record as the JSON object that remotes and `--json` use.
package struct RecordEncoder: Sendable {
  package let fields: RecordFields

  package init(fields: RecordFields = .standard) {
    self.fields = fields
  }

  package func encode(_ project: Project) -> [UInt8] {
    var bytes: [UInt8] = []
    append(project, to: &bytes)
    return bytes
  }

  /// Appends the record's object; a member of `extra` that has a known field's name is left out.
  package func append(_ project: Project, to bytes: inout [UInt8]) {
    bytes.append(json: "{")
    append(fields.id, to: &bytes)
    bytes.append(jsonString: project.id.string)
    member(fields.title, to: &bytes)
    bytes.append(jsonString: project.title)
    member(fields.body, to: &bytes)
    bytes.append(jsonString: project.body)
    member(fields.state, to: &bytes)
    bytes.append(jsonString: project.state)
    member(fields.dueAt, to: &bytes)
    bytes.append(jsonString: project.dueAt)
    if let created = project.createdAt {
      member(fields.createdAt, to: &bytes)
      bytes.append(jsonString: created.description)
    }
    member(fields.updatedAt, to: &bytes)
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

  private func append(_ name: String, to bytes: inout [UInt8]) {
    bytes.append(jsonString: name)
    bytes.append(json: ":")
  }

  private func member(_ name: String, to bytes: inout [UInt8]) {
    bytes.append(json: ",")
    append(name, to: &bytes)
  }
}
