import SyncKit

/// How an entry becomes a line.
enum LogFormat: Sendable, Equatable {
  /// For systemd's journal, which knows the time: `<4>message`, sd-daemon(3).
  case journal
  /// For programs: one JSON object a line.
  case json
  /// For people.
  case text(isColored: Bool)

  /// The most bytes of a line, its end counted.
  static let limit = 8192

  func line(_ entry: LogEntry) -> [UInt8] {
    let line =
      switch self {
      case .journal: "<\(entry.level.priority)>" + entry.sentence
      case .json: entry.json
      case .text(let isColored):
        "\(entry.time.short) " + entry.level.word(isColored: isColored) + " " + entry.sentence
      }
    return Array(line.cut(bytes: Self.limit - 1).utf8) + [UInt8(ascii: "\n")]
  }
}

extension LogEntry {
  /// The message and its fields in one line that a terminal takes literally.
  fileprivate var sentence: String {
    let words = fields.compactMap { field in field.value.words.map { "\(field.name)=\($0)" } }
    return ([message.printable] + words).joined(separator: " ")
  }

  /// The object of docs/service.md: a field that does not fit is left out, and `cut` says so.
  fileprivate var json: String {
    var (text, isCut) = message.cut(jsonBytes: 4000)
    var line = "{\"time\":\"\(time)\",\"level\":\"\(level.rawValue)\",\"message\":"
    line += JSONText.string(text).description
    let end = ",\"cut\":true}"
    for (name, value) in fields {
      text = ",\(JSONText.string(name)):"
      let room = LogFormat.limit - 1 - line.utf8.count - text.utf8.count - end.utf8.count
      if let (value, isShortened) = value.json(bytes: room) {
        line += text + value.description
        isCut = isCut || isShortened
      } else {
        isCut = true
      }
    }
    return line + (isCut ? end : "}")
  }
}

extension LogLevel {
  /// The priority of syslog(3).
  fileprivate var priority: Int {
    switch self {
    case .error: 3
    case .warning: 4
    case .info: 6
    case .debug: 7
    }
  }

  fileprivate func word(isColored: Bool) -> String {
    let word = rawValue.padded(to: 7)
    let style: TextStyle? =
      switch self {
      case .error: .red
      case .warning: .yellow
      case .info: nil
      case .debug: .dim
      }
    guard isColored, let style else { return word }
    return "\u{1B}[\(style.rawValue)m\(word)\u{1B}[0m"
  }
}
