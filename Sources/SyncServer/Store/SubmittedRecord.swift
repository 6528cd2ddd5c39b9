internal import HTTPServer
internal import SyncKit

/// A record as a client sent it, checked, in the form it is kept and sent back in: the id first,
/// the stamps as RFC 3339 with six digits, every other member byte for byte, in the client's order.
struct SubmittedRecord: Sendable {
  let id: ProjectID
  /// `updatedAt`, as it is kept.
  let stamp: String
  let json: [UInt8]
  let hash: UInt64

  /// Reads the record that is the text at `range` of bytes that are UTF-8.
  ///
  /// - Parameter id: where the request names it beside the record.
  /// - Throws: `Problem` 400 for what is no JSON, 422 for what is no record.
  init(
    _ bytes: [UInt8], in range: Range<Int>, named id: ProjectID? = nil
  ) throws(Problem) {
    var reader = RecordReader(bytes, in: range)
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
    json = reader.json(id: self.id)
    hash = ContentsHash.of(json)
  }
}
