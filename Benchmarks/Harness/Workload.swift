/// Projects as people might keep them, 300 bytes of JSON each and the same on every machine.
struct Workload {
  /// The id of the nth project: a UUIDv7 of one a second, whose random bits come from `n`.
  static func id(_ n: Int) -> String {
    var bits = SplitMix64(seed: UInt64(n))
    let time = String(UInt64(firstStamp / 1000 + Int64(n) * 1000), radix: 16)
    let hex = String(repeating: "0", count: 12 - time.utf8.count) + time
    let tail = String(bits.next() | 1 << 63, radix: 16)
    let digits = Array(hex + "7" + tail.prefix(3) + "8" + tail.dropFirst(3).prefix(3))
    let node = String(bits.next() | 1 << 63, radix: 16).prefix(12)
    return String(digits[0..<8]) + "-" + String(digits[8..<12]) + "-" + String(digits[12..<16])
      + "-" + String(digits[16..<20]) + "-" + node
  }

  static func title(_ n: Int) -> String { "Project \(n): \(phrase(n, words: 3))" }

  /// Every tenth body has a line break and a quotation, so that escaping is part of the work.
  static func body(_ n: Int) -> String {
    n % 10 == 0 ? "\(phrase(n, words: 12))\nAs she put it: \"later\"" : phrase(n, words: 16)
  }

  static func state(_ n: Int) -> String { ["todo", "doing", "done"][n % 3] }

  /// Microseconds since 1970: in the past, so that an edit now is newer.
  static func stamp(_ n: Int) -> Int64 { firstStamp + Int64(n) * 1_000_000 }

  private static let firstStamp: Int64 = 1_735_689_600_000_000  // 2025-01-01

  private static func phrase(_ n: Int, words count: Int) -> String {
    var bits = SplitMix64(seed: UInt64(n) &* 31)
    return (0..<count).map { _ in words[Int(bits.next() % UInt64(words.count))] }
      .joined(separator: " ")
  }

  private static let words = [
    "survey", "the", "north", "field", "before", "rain", "order", "cable", "and", "tape", "call",
    "workshop", "about", "pump", "draft", "report", "café", "check", "valve", "seals", "plan",
  ]
}

/// The generator of Steele, Lea and Flood (2014), seeded so that rows repeat.
struct SplitMix64 {
  private var state: UInt64

  init(seed: UInt64) { state = seed &+ 0x9E37_79B9_7F4A_7C15 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
