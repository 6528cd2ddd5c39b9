/// Metrics in Prometheus' text format, version 0.0.4.
struct PrometheusText: CustomStringConvertible {
  enum Kind: String { case counter, gauge, summary }

  struct Sample {
    /// Appended to the metric's name: `_sum`, `_count`.
    var suffix = ""
    var labels: KeyValuePairs<String, String> = [:]
    var value: Double
  }

  static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  private(set) var description = ""

  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    description += "# HELP \(name) \(Self.escaped(help, quotes: false))\n"
    description += "# TYPE \(name) \(kind.rawValue)\n"
    for sample in samples {
      let labels = sample.labels.map { "\($0.key)=\"\(Self.escaped($0.value, quotes: true))\"" }
      let set = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
      description += "\(name)\(sample.suffix)\(set) \(Self.number(sample.value))\n"
    }
  }

  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
    add(name, kind, help, [Sample(value: Double(value))])
  }

  private static func number(_ value: Double) -> String {
    if let whole = Int64(exactly: value) { return String(whole) }
    if value.isNaN { return "NaN" }
    return value.isInfinite ? (value > 0 ? "+Inf" : "-Inf") : String(value)
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
