import TestSupport
import Testing

@testable import SyncKit

@Suite("Messages about ranges")
struct RangeCodingTests {
  private static let texts = [
    "a", "ab", "b", "é", "프로젝트", "019ae3f0-0001-7abc-8def-0123456789ab",
    "019ae3f0-0001-7abc-8def-0123456789ac", "019AE3F0-0001-7ABC-8DEF-0123456789AC",
    "019ae3f0-0001-7abc-8def-0123456789ac0", "ffffffff-ffff-ffff-ffff-ffffffffffff",
    String(repeating: "x", count: 254), String(repeating: "x", count: 255),
  ]

  private static func ids(_ random: inout SeededGenerator) -> [ProjectID] {
    texts.filter { _ in Bool.random(using: &random) }.map { ProjectID(trusted: $0) }.sorted()
  }

  private static func question(_ random: inout SeededGenerator) -> RangeQuestion {
    var bounds: [ProjectID?] = ids(&random)
    if Bool.random(using: &random) || bounds.count < 2 { bounds = [nil] + bounds }
    if Bool.random(using: &random) || bounds.count < 2 { bounds.append(nil) }
    let ranges = zip(bounds, bounds.dropFirst()).map { lower, upper in
      let fingerprint = RangeFingerprint(bits: random.next())
      return AskedRange(
        IDRange(from: lower, to: upper),
        fingerprint: Bool.random(using: &random) ? fingerprint : nil)
    }
    // Where one is left out, the next names its lower bound.
    let kept = ranges.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
    return RangeQuestion(parts: 16, ranges: kept.isEmpty ? ranges : kept)
  }

  private static func answer(_ random: inout SeededGenerator) -> RangeAnswer {
    let versions = [
      "\"1-0123456789abcdef\"", "\"9223372036854775807-ffffffffffffffff\"", "", "W/\"5\"",
      "\"01-0123456789abcdef\"", "\"1-0123456789ABCDEF\"", "\"1-123456789abcdef\"", "é",
      "\"18446744073709551615-0123456789abcdef\"",
    ]
    let contents = (0..<Int.random(in: 1...6, using: &random)).map { _ -> RangeContents in
      switch Int.random(in: 0..<3, using: &random) {
      case 0: return .equal
      case 1:
        let bounds = ids(&random)
        return .parts(
          bounds: bounds,
          (0...bounds.count).map { _ in RangeFingerprint(bits: random.next()) })
      default:
        return .items(
          ids(&random).map { id in
            let version = versions.randomElement(using: &random) ?? ""
            let stamp: Int64 =
              [.min, .max, 0, -1, 1_764_000_000_000_000].randomElement(using: &random) ?? 0
            return RemoteDigest(
              id: id, updatedAt: Timestamp(microseconds: stamp), version: Version(version),
              etag: version)
          })
      }
    }
    return RangeAnswer(records: Int.random(in: 0...1_000_000, using: &random), contents: contents)
  }

  @Test("are read as they were written")
  func roundTrip() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let question = Self.question(&random)
      #expect(try RangeQuestion(question.bytes) == question, "seed \(seed)")
      let answer = Self.answer(&random)
      let read = try RangeAnswer(answer.bytes, asked: answer.contents.count)
      #expect(read == answer, "seed \(seed)")
      // Versions are equal by what they name; here every byte counts.
      #expect(read.bytes == answer.bytes, "seed \(seed)")
    }
  }

  @Test("any bytes are read, or refused with a typed error; what is read is in order")
  func mutated() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20_000 {
      let isQuestion = Bool.random(using: &random)
      var bytes = isQuestion ? Self.question(&random).bytes : Self.answer(&random).bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = bytes.indices.randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<5, using: &random) {
        case 0 where !bytes.isEmpty: bytes[place] = .random(in: 0...255, using: &random)
        case 1 where !bytes.isEmpty: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2 where !bytes.isEmpty: bytes.removeSubrange(place...)
        case 3: bytes.insert(.random(in: 0...255, using: &random), at: place)
        default: bytes.insert(contentsOf: [UInt8](repeating: 0xFF, count: 9), at: place)
        }
      }
      // Their errors are of one type, as declared: what is left to go wrong is a trap, and what is read.
      if let ranges = try? RangeQuestion(bytes).ranges.map({ $0.range }) {
        let isEmpty = ranges.contains { $0.isEmpty }
        #expect(!isEmpty, "seed \(seed)")
        for (former, next) in zip(ranges, ranges.dropFirst()) {
          let (upper, lower) = (try #require(former.upper), try #require(next.lower))
          #expect(upper <= lower, "seed \(seed)")
        }
      }
      if let answer = try? RangeAnswer(bytes, asked: 6) {
        #expect(answer.contents.count <= 6, "seed \(seed)")
      }
    }
  }

  @Test("what is no question is refused, and says why")
  func refused() throws {
    let cases: [([UInt8], RangeMessageError)] = [
      ([], .truncated), ([2, 16, 0], .version(2)), ([1], .truncated), ([1, 16], .truncated),
      ([1, 1, 0], .number), ([1, 65, 0], .tooMany(64)), ([1, 0x90, 0, 0], .number),
      ([1, 16, 0, 0], .order), ([1, 16, 8], .flags), ([1, 16, 1, 0], .truncated),
      ([1, 16, 12, 1, 97], .id), ([1, 16, 12, 0, 0xFF], .id), ([1, 16, 12, 0, 10], .id),
      ([1, 16, 12, 0, 98, 12, 0, 97], .order), ([1, 16, 2, 1, 0, 97, 12, 0, 97], .order),
      ([1, 16, 6, 0], .truncated), ([1, 16, 6, 0, 0], .id),
      ([1, 16] + [UInt8](repeating: 0xFF, count: 10), .number),
    ]
    for (bytes, error) in cases {
      #expect(throws: error, "\(bytes)") { try RangeQuestion(bytes) }
    }
    #expect(
      try RangeQuestion([1, 16, 12, 0, 98, 1, 1, 0, 0, 0, 0, 0, 0, 0])
        == RangeQuestion(
          parts: 16,
          ranges: [
            AskedRange(IDRange(to: ProjectID("b"))),
            AskedRange(IDRange(from: ProjectID("b")), fingerprint: RangeFingerprint(bits: 1)),
          ]))
  }

  @Test("lists that claim to be long take no memory before they are")
  func claims() throws {
    #expect(throws: RangeMessageError.tooMany(RangeLimits.itemsInAnswer)) {
      try RangeAnswer([1, 0, 1, 1, 0xFF, 0xFF, 0xFF, 0x7F], asked: 1)
    }
    #expect(throws: RangeMessageError.truncated) {
      try RangeAnswer([1, 0, 1, 1, 0x80, 0x80, 2], asked: 1)
    }
    #expect(throws: RangeMessageError.order) { try RangeAnswer([1, 0, 1, 2, 0], asked: 1) }
    #expect(throws: RangeMessageError.tooMany(1)) { try RangeAnswer([1, 0, 2], asked: 1) }
  }
}
