/// How projects are written in a file.
enum ExchangeFormat: String, CaseIterable, Sendable {
  /// One array of records.
  case json
  /// One record a line.
  case ndjson
  case csv

  /// The format that a file's name tells; nil when it tells none.
  init?(fileName: String) {
    let name = fileName.lowercased()
    if name.hasSuffix(".json") {
      self = .json
    } else if name.hasSuffix(".ndjson") || name.hasSuffix(".jsonl") {
      self = .ndjson
    } else if name.hasSuffix(".csv") {
      self = .csv
    } else {
      return nil
    }
  }

  /// The format that a text's first bytes tell, of the two kinds of JSON.
  init?(beginning bytes: [UInt8]) {
    switch bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }) {
    case UInt8(ascii: "["): self = .json
    case UInt8(ascii: "{"): self = .ndjson
    default: return nil
    }
  }
}

extension CommandOption {
  static let format = CommandOption(
    "format", .choice(ExchangeFormat.allCases.map(\.rawValue)),
    help: "the format, where the file's name does not tell it")
}
