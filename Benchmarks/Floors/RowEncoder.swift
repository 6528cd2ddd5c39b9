internal import CSQLite

/// Reads projects from a store and writes each as a line of JSON, straight from SQLite's memory.
struct RowEncoder {
  static let columns = "id, title, body, state, due_at, created_at, updated_at"
  private static let members: [StaticString] = [
    "{\"id\":", ",\"title\":", ",\"body\":", ",\"state\":", ",\"dueAt\":",
  ]

  static func append(_ row: OpaquePointer, to line: inout [UInt8]) {
    for column in 0..<Int32(5) {
      line.append(members[Int(column)])
      if let text = sqlite3_column_text(row, column) {
        let count = Int(sqlite3_column_bytes(row, column))
        append(quoted: UnsafeBufferPointer(start: text, count: count), to: &line)
      } else {
        line.append("null")
      }
    }
    line.append(",\"createdAt\":")
    append(stamp: sqlite3_column_int64(row, 5), to: &line)
    line.append(",\"updatedAt\":")
    append(stamp: sqlite3_column_int64(row, 6), to: &line)
    line.append("}\n")
  }

  private static func append(quoted text: UnsafeBufferPointer<UInt8>, to line: inout [UInt8]) {
    line.append(0x22)
    if text.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) {
      for byte in text {
        switch byte {
        case 0x22, 0x5C: line += [0x5C, byte]
        case 0x0A: line.append("\\n")
        case 0..<0x20: line += Array("\\u00".utf8) + [hex(byte >> 4), hex(byte & 15)]
        default: line.append(byte)
        }
      }
    } else {
      line.append(contentsOf: text)
    }
    line.append(0x22)
  }

  private static func hex(_ digit: UInt8) -> UInt8 { digit < 10 ? 0x30 + digit : 0x57 + digit }

  /// RFC 3339 in UTC; years are counted from March, so that the leap day is the last of its year.
  private static func append(stamp: Int64, to line: inout [UInt8]) {
    let (seconds, micros) = stamp.quotientAndRemainder(dividingBy: 1_000_000)
    let (days, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
    let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    line.append(0x22)
    append(year, 4, 0x2D, to: &line)
    append(month, 2, 0x2D, to: &line)
    append(dayOfYear - (153 * shifted + 2) / 5 + 1, 2, 0x54, to: &line)
    append(second / 3600, 2, 0x3A, to: &line)
    append(second / 60 % 60, 2, 0x3A, to: &line)
    append(second % 60, 2, 0x2E, to: &line)
    append(micros, 6, 0x5A, to: &line)
    line.append(0x22)
  }

  private static func append(
    _ number: Int64, _ digits: Int, _ after: UInt8, to line: inout [UInt8]
  ) {
    var power = (1..<digits).reduce(Int64(1)) { product, _ in product * 10 }
    for _ in 0..<digits {
      line.append(UInt8(0x30 + number / power % 10))
      power /= 10
    }
    line.append(after)
  }
}

extension [UInt8] {
  mutating func append(_ text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}
