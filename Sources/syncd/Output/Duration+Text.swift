extension Duration {
  /// Reads `500ms`, `10s`, `15m`, `2h`, `90d`: a whole number and its unit.
  init?(spelled text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard !digits.isEmpty, let count = Int64(digits), count <= 1_000_000_000 else { return nil }
    switch text.dropFirst(digits.count) {
    case "ms": self = .milliseconds(count)
    case "s": self = .seconds(count)
    case "m": self = .seconds(count * 60)
    case "h": self = .seconds(count * 3600)
    case "d": self = .seconds(count * 86_400)
    default: return nil
    }
  }

  /// The span as it is written in the configuration: `500ms`, `15m`. Less than a millisecond is
  /// left out.
  var spelled: String {
    let (seconds, attoseconds) = components
    let milliseconds = attoseconds / 1_000_000_000_000_000
    if milliseconds != 0 { return "\(seconds * 1000 + milliseconds)ms" }
    for (unit, length) in [("d", 86_400), ("h", 3600), ("m", 60)] as [(String, Int64)]
    where seconds != 0 && seconds % length == 0 {
      return "\(seconds / length)\(unit)"
    }
    return "\(seconds)s"
  }

  /// The span in its greatest fitting unit, rounded down: `3 min`, `2 h`, `5 d`.
  var rough: String {
    let seconds = components.seconds
    return switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3600: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3600) h"
    default: "\(seconds / 86_400) d"
    }
  }
}

extension Double {
  /// Seconds with one digit after the point.
  var tenths: String {
    let tenths = Int64((self * 10).rounded())
    return "\(tenths / 10).\(abs(tenths % 10))"
  }
}
