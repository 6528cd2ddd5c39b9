/// The top-level members of a JSON object by the bytes of their names.
struct MemberList {
  struct Member {
    /// Name and value as they are written.
    var text: [UInt8]
    /// The value as it is written.
    var value: [UInt8]
    /// The value's canonical bytes.
    var canonical: [UInt8]
  }

  private(set) var names: [[UInt8]] = []
  private var members: [[UInt8]: Member] = [:]

  /// - Returns: nil where a name comes twice, or the text is no object.
  init?(_ extra: ExtraMembers) {
    guard !extra.json.isEmpty else { return }
    let reader = JSONScanner(Array(extra.json.utf8))
    var scanner = reader
    var isUsable = true
    do {
      try scanner.scanObject { (key, value) throws(JSONError) in
        let name = Array(try reader.string(at: key).utf8)
        var canonical: [UInt8] = []
        CanonicalContents.append(value, of: reader, to: &canonical)
        let text = Array(reader.bytes[key]) + [UInt8(ascii: ":")] + reader.bytes[value]
        names.append(name)
        let member = Member(text: text, value: Array(reader.bytes[value]), canonical: canonical)
        let former = members.updateValue(member, forKey: name)
        if former != nil { isUsable = false }
      }
    } catch { return nil }
    if !isUsable { return nil }
  }

  subscript(name: [UInt8]) -> Member? { members[name] }
}
