import SyncKit

/// Names and values beside a message, in their order.
typealias LogFields = KeyValuePairs<String, LogValue>

/// One entry of the log, its secrets hidden already.
struct LogEntry: Sendable {
  var time: Timestamp
  var level: LogLevel
  var message: String
  var fields: [(name: String, value: LogValue)] = []
}

/// The value of a field.
enum LogValue: Sendable, Equatable {
  case text(String)
  case number(Int)
  case report(SyncReport)

  func hiding(_ secrets: Redaction) -> LogValue {
    switch self {
    case .text(let text): return .text(secrets.applied(to: text))
    case .number: return self
    case .report(var report):
      report.message = secrets.applied(to: report.message)
      for index in report.failed.indices {
        report.failed[index].message = secrets.applied(to: report.failed[index].message)
      }
      return .report(report)
    }
  }

  /// The value in words; nil where the message says it.
  var words: String? {
    switch self {
    case .text(let text): JSONText.string(text.printable).description
    case .number(let number): String(number)
    case .report: nil
    }
  }

  /// The value as JSON of at most so many bytes, and whether something was left out for that; nil
  /// where it does not fit at all.
  func json(bytes: Int) -> (text: JSONText, isCut: Bool)? {
    switch self {
    case .text(let text):
      let (kept, isCut) = text.cut(jsonBytes: min(bytes - 2, 1000))
      return bytes < 2 ? nil : (.string(kept), isCut)
    case .number(let number):
      let text = JSONText.number(number)
      return text.description.utf8.count > bytes ? nil : (text, false)
    case .report(var report):
      let isWhole = report.json.utf8.count <= bytes
      // Which records failed is in the store, too.
      while report.json.utf8.count > bytes, !report.failed.isEmpty {
        report.failed.removeLast((report.failed.count + 1) / 2)
      }
      return report.json.utf8.count > bytes ? nil : (.raw(report.json), !isWhole)
    }
  }
}

extension String {
  /// As much of the text as takes so many bytes, with an ellipsis where something is lost.
  func cut(bytes limit: Int) -> String {
    cut(to: limit) { UTF8.width($0) }.text
  }

  /// As much of the text as takes so many bytes between the quotes of JSON.
  func cut(jsonBytes limit: Int) -> (text: String, isCut: Bool) {
    cut(to: limit) { scalar in
      switch scalar.value {
      case 0x22, 0x5C, 0x09, 0x0A, 0x0D: 2
      case 0..<0x20, 0x7F..<0xA0: 6
      default: UTF8.width(scalar)
      }
    }
  }

  private func cut(
    to limit: Int, width: (Unicode.Scalar) -> Int
  ) -> (text: String, isCut: Bool) {
    // No scalar takes more than six bytes.
    if utf8.count <= limit / 6 { return (self, false) }
    if unicodeScalars.reduce(0, { $0 + width($1) }) <= limit { return (self, false) }
    var text = String.UnicodeScalarView()
    var used = 0
    for scalar in unicodeScalars {
      used += width(scalar)
      if used > limit - UTF8.width("…") { break }
      text.append(scalar)
    }
    return (limit < UTF8.width("…") ? "" : String(text) + "…", true)
  }
}
