internal import SyncKit

/// A space of projects as one transaction sees it.
struct Space: Sendable, Equatable {
  let key: Int64
  let name: String
  /// Says whether a client still speaks with the collection it knows.
  let id: String
  /// Made with the space; sequence numbers of different epochs have nothing to do with each other.
  let epoch: String
  /// The number of the last change.
  var sequence: Int64
  /// A hash over every change there was. A store put back from a backup counts the same numbers
  /// again; this tells the two histories apart.
  var lineage: UInt64
  /// The number of the last tombstone that was dropped.
  var forgotten: Int64
  var records: Int64
  var bytes: Int64
  var tombstones: Int64

  /// The collection's entity tag, with its quotes.
  var tag: String { "\"\(epoch)-\(sequence)-\(hexadecimal(lineage))\"" }

  /// The change that one of this space's tags names, and the lineage after it; nil for other tags.
  func moment(of tag: String) -> (sequence: Int64, lineage: UInt64)? {
    let parts = tag.split { $0 == "\"" || $0 == "-" }
    guard parts.count == 3, parts[0] == epoch, let sequence = Int64(parts[1]),
      let lineage = UInt64(parts[2], radix: 16)
    else { return nil }
    return (sequence, lineage)
  }
}

/// A record's entity tag: the number of the change that made it, and the hash of its contents.
struct RecordTag: Sendable, Equatable, CustomStringConvertible {
  let sequence: Int64
  let hash: UInt64

  /// With its quotes.
  var description: String { "\"\(sequence)-\(hexadecimal(hash))\"" }
}

private func hexadecimal(_ value: UInt64) -> String {
  var digits: [UInt8] = []
  digits.append(hexadecimal: value)
  return String(decoding: digits, as: UTF8.self)
}

extension [UInt8] {
  /// Appends the member `etag`, whose value is the tag with its quotes, after a comma.
  mutating func appendMember(etag tag: RecordTag) {
    append(json: ",\"etag\":\"\\\"")
    append(contentsOf: String(tag.sequence).utf8)
    append(json: "-")
    append(hexadecimal: tag.hash)
    append(json: "\\\"\"")
  }

  fileprivate mutating func append(hexadecimal value: UInt64) {
    for shift in stride(from: 60, through: 0, by: -4) {
      append(hexDigit: UInt8(truncatingIfNeeded: value >> shift) & 0xF)
    }
  }
}
