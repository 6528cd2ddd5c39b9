internal import SyncKit

/// A record as a client sent it, checked, in the form it is kept and sent back in: the id first,
/// the stamps as RFC 3339 with six digits, every other member byte for byte, in the client's order.
struct SubmittedRecord: Sendable {
  let id: ProjectID
  /// `updatedAt`, as it is kept.
  let stamp: String
  let json: [UInt8]
  let hash: UInt64

  /// - Parameter id: where the request names it beside the record.
  /// - Throws: `Problem` 400 for what is no JSON, 422 for what is no record.
  init(_ scanner: JSONScanner, named id: ProjectID? = nil) throws(Problem) {
    var reader = RecordReader(scanner)
    try reader.read()
    if let id {
      if let own = reader.id, own != id {
        throw Problem(422, "the record's id is not the one in the URL")
      }
      self.id = id
    } else {
      guard let own = reader.id else { throw Problem(422, "the record has no id") }
      self.id = own
    }
    guard let stamp = reader.stamp else { throw Problem(422, "the record has no updatedAt") }
    self.stamp = stamp
    var json: [UInt8] = []
    json.reserveCapacity(reader.members.count + self.id.string.utf8.count + 16)
    json.append(json: "{\"id\":")
    json.append(jsonString: self.id.string)
    json.append(contentsOf: reader.members)
    json.append(json: "}")
    self.json = json
    hash = ContentsHash.of(json)
  }
}
