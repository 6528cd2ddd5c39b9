extension Project {
  /// The record as one line of JSON under our own names: what `--json` prints and imports read.
  public var json: String { String(decoding: RecordEncoder().encode(self), as: UTF8.self) }

  /// Reads a record under our own names, and supplies what it lacks or has as `null`.
  ///
  /// - Parameters:
  ///   - json: one JSON object; members of other names become `extra`.
  ///   - id: asked for the id of a record that has none.
  ///   - updatedAt: the stamp of a record that has none.
  /// - Throws: `UnreadableRecord` with the reason.
  public init(
    json: [UInt8], id: () -> ProjectID, updatedAt: Timestamp
  ) throws(UnreadableRecord) {
    let reader = JSONScanner(json)
    var scanner = reader
    var hasID = false
    var hasStamp = false
    var rest: [UInt8] = []
    do {
      try scanner.scanObject { (key, value) throws(JSONError) in
        let isID = reader.string(at: key, equals: "id")
        let isStamp = reader.string(at: key, equals: "updatedAt")
        if isID || isStamp, reader.kind(of: value) == .null { return }
        hasID = hasID || isID
        hasStamp = hasStamp || isStamp
        rest.append(json: ",")
        rest.append(contentsOf: json[key])
        rest.append(json: ":")
        rest.append(contentsOf: json[value])
      }
    } catch {
      throw UnreadableRecord(id: "", reason: "not a record: \(error)")
    }
    var whole: [UInt8] = []
    whole.append(json: "{")
    if !hasID { whole.appendMember("id", string: id().string, first: true) }
    if !hasStamp {
      whole.appendMember("updatedAt", string: updatedAt.description, first: whole.count == 1)
    }
    whole.append(contentsOf: whole.count == 1 ? rest.dropFirst() : rest[...])
    whole.append(json: "}")
    self = try RecordDecoder().record(whole).project
  }
}
