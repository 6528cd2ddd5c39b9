import TestSupport
import Testing

@testable import SyncKit

/// A set that tests change and compare.
struct TestSet {
  var items: [ProjectID: Version]
  let hashing = RangeHashing.keyed(by: "a remote")

  init(_ items: [ProjectID: Version] = [:]) {
    self.items = items
  }

  var ranges: ChunkedRanges {
    let sorted = items.map { RangeItem($0.key, $0.value) }.sorted { $0.id < $1.id }
    return ChunkedRanges(
      ChunkedRanges.Chunk.chunks(of: sorted, hashing: hashing), hashing: hashing,
      reader: .init(sorted))
  }

  /// The answer as it comes over the wire.
  func answer(_ question: RangeQuestion) throws -> RangeAnswer {
    let set = ranges
    let asked = try RangeQuestion(question.bytes)
    #expect(asked == question)
    let answer = try RangeResponder.answer(asked, from: set) { range in
      try set.items(in: range).map {
        RemoteDigest(
          id: $0.id, updatedAt: Timestamp(microseconds: 0), version: $0.version,
          etag: $0.version.raw)
      }
    }
    let read = try RangeAnswer(answer.bytes, asked: asked.ranges.count)
    #expect(read == answer)
    return read
  }

  mutating func apply(_ change: RemoteChange) {
    switch change {
    case .stored(let digest): items[digest.id] = digest.version
    case .deleted(let id), .absent(let id): items[id] = nil
    }
  }
}

@Suite("Comparing two sets by ranges")
struct RangeTests {
  /// Compares to the end.
  ///
  /// - Parameter meanwhile: called after each answer.
  private func differences(
    of mine: TestSet, from theirs: inout TestSet,
    meanwhile: (inout TestSet) -> Void = { _ in }
  ) throws -> (changes: [RemoteChange], questions: Int) {
    let set = mine.ranges
    var inquirer = try RangeInquirer(set)
    var changes: [RemoteChange] = []
    while !inquirer.isDone {
      let asked = inquirer.question()
      #expect((1...RangeLimits.asked).contains(asked.ranges.count))
      changes += try inquirer.take(try theirs.answer(asked), to: asked, from: set)
      meanwhile(&theirs)
    }
    return (changes, inquirer.questions)
  }

  private func expectFound(_ mine: TestSet, _ theirs: TestSet, _ words: String) throws -> Int {
    var theirs = theirs
    let (changes, questions) = try differences(of: mine, from: &theirs)
    var result = mine
    for change in changes { result.apply(change) }
    #expect(result.items == theirs.items, "\(words)")
    let differing = Set(mine.items.keys).union(theirs.items.keys)
      .filter { mine.items[$0] != theirs.items[$0] }
    #expect(changes.count == differing.count, "\(words)")
    return questions
  }

  private static func id(_ number: Int, _ shape: Int) -> ProjectID {
    let digits = String(number)
    let padded = String(repeating: "0", count: 6 - digits.count) + digits
    return switch shape {
    case 0: ProjectID(trusted: padded)
    case 1: ProjectID(trusted: String(repeating: "x", count: 249) + padded)
    case 2: ProjectID(trusted: "é\(number)")
    default:
      ProjectID(trusted: SHA256.hash(Array(digits.utf8)).prefix(8).map(\.description).joined())
    }
  }

  @Test("finds exactly what differs, in few questions", arguments: 0...3)
  func random(shape: Int) throws {
    for _ in 0..<6 {
      let seed = UInt64.random(in: .min ... .max)
      var random = SeededGenerator(seed: seed)
      let count = [0, 1, 31, 33, 500, 4000].randomElement(using: &random) ?? 0
      var mine = TestSet()
      for number in 0..<count { mine.items[Self.id(number, shape)] = Version("1") }
      var theirs = mine
      let edits = Int.random(in: 0...8, using: &random)
      for _ in 0..<edits {
        let id = Self.id(Int.random(in: 0...(count + 5), using: &random), shape)
        theirs.items[id] = Bool.random(using: &random) ? Version("2") : nil
      }
      let questions = try expectFound(mine, theirs, "seed \(seed)")
      #expect(questions <= 4, "seed \(seed)")
      #expect(try expectFound(theirs, mine, "seed \(seed), exchanged") <= 4)
    }
  }

  @Test("one side empty, every second item missing, nothing in common, more than one answer holds")
  func worst() throws {
    let numbers = 0..<6000
    let all = TestSet(.init(uniqueKeysWithValues: numbers.map { (Self.id($0, 3), Version("1")) }))
    let half = TestSet(all.items.filter { $0.key.string.utf8.reduce(0, &+) % 2 == 0 })
    let others = TestSet(
      .init(uniqueKeysWithValues: numbers.map { (Self.id($0, 0), Version("1")) }))
    for (mine, theirs) in [
      (TestSet(), all), (all, TestSet()), (half, all), (all, half), (all, others), (all, all),
    ] {
      let questions = try expectFound(mine, theirs, "\(mine.items.count), \(theirs.items.count)")
      #expect(questions <= RangeLimits.questions)
    }
    #expect(try expectFound(all, all, "equal") == 1)
  }

  @Test("what is written meanwhile is found, or is among the changes since the first answer")
  func meanwhile() throws {
    for _ in 0..<10 {
      let seed = UInt64.random(in: .min ... .max)
      var random = SeededGenerator(seed: seed)
      let mine = TestSet(
        .init(uniqueKeysWithValues: (0..<3000).map { (Self.id($0, 0), Version("1")) }))
      var theirs = mine
      for _ in 0..<40 {
        theirs.items[Self.id(Int.random(in: 0..<3100, using: &random), 0)] = Version("2")
      }
      var later: Set<ProjectID> = []
      let (changes, _) = try differences(of: mine, from: &theirs) { theirs in
        for _ in 0..<5 {
          let id = Self.id(Int.random(in: 0..<3100, using: &random), 0)
          theirs.items[id] = Bool.random(using: &random) ? Version("3") : nil
          later.insert(id)
        }
      }
      var result = mine
      for change in changes { result.apply(change) }
      for id in later { result.items[id] = theirs.items[id] }
      #expect(result.items == theirs.items, "seed \(seed)")
    }
  }

  @Test("an answer that is none to the question is refused")
  func malformed() throws {
    let mine = TestSet(
      .init(uniqueKeysWithValues: (0..<2000).map { (Self.id($0, 0), Version("1")) }))
    let set = mine.ranges
    var inquirer = try RangeInquirer(set)
    let asked = inquirer.question()
    let right = asked.ranges.map { _ in RangeContents.equal }
    let digest = RemoteDigest(
      id: Self.id(1999, 0), updatedAt: Timestamp(microseconds: 0), version: Version("1"))
    let first = try #require(asked.ranges[0].range.upper)
    let fingerprint = RangeFingerprint(bits: 1)
    let wrong: [[RangeContents]] = [
      [], right + right, [.items([digest])],
      [.parts(bounds: [first], [fingerprint, fingerprint])],
      [.parts(bounds: [Self.id(1, 0)], [fingerprint])],
      [.parts(bounds: [Self.id(2, 0), Self.id(1, 0)], [fingerprint, fingerprint, fingerprint])],
    ]
    for contents in wrong {
      var other = inquirer
      #expect(throws: RangeInquirer.Malformed.self) {
        _ = try other.take(RangeAnswer(records: 1, contents: contents), to: asked, from: set)
      }
    }
    _ = try inquirer.take(RangeAnswer(records: 1, contents: right), to: asked, from: set)
    #expect(inquirer.isDone)
  }

  @Test("few questions and few bytes find few differences among many items")
  func sizes() throws {
    var mine = TestSet()
    for number in 0..<12_000 {
      let digits = SHA256.hash(Array("\(number)".utf8)).prefix(16).map {
        ($0 < 16 ? "0" : "") + String($0, radix: 16)
      }.joined()
      var id = Array("019ae3f0-" + digits.prefix(4) + "-7" + digits.dropFirst(5).prefix(3) + "-8")
      id += digits.dropFirst(8).prefix(3) + "-" + digits.dropFirst(12).prefix(12)
      mine.items[ProjectID(trusted: String(id))] = Version(
        sequence: UInt64(number), hash: UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
    }
    for (differences, most) in [(1, 1500), (10, 15_000), (60, 60_000)] {
      var theirs = mine
      for (number, id) in mine.items.keys.sorted().enumerated()
      where number % (12_000 / differences) == 77 {
        theirs.items[id] = Version(sequence: UInt64(20_000 + number), hash: 1)
      }
      let set = mine.ranges
      var inquirer = try RangeInquirer(set)
      var (bytes, found) = (0, 0)
      while !inquirer.isDone {
        let question = inquirer.question()
        let answer = try theirs.answer(question)
        bytes += question.bytes.count + answer.bytes.count
        found += try inquirer.take(answer, to: question, from: set).count
      }
      #expect(inquirer.questions == 2 && found == differences && bytes < most, "\(bytes) bytes")
    }
  }

  @Test("sums of any range are those of its items, whatever the chunks")
  func sums() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    let set = TestSet(
      .init(uniqueKeysWithValues: (0..<20_000).map { (Self.id($0 * 2, 0), Version("\($0)")) }))
    let (ranges, others) = (set.ranges, set.ranges)
    for _ in 0..<20 {
      let ends = (0..<2).map { _ in Int.random(in: 0...40_000, using: &random) }.sorted()
      let range = IDRange(
        from: ends[0] == 0 ? nil : Self.id(ends[0], 0),
        to: ends[1] == 40_000 ? nil : Self.id(ends[1], 0))
      let sum = set.hashing.sum(try ranges.items(in: range))
      #expect(try ranges.sum(of: range) == sum, "seed \(seed)")
      var parts = RangeSum()
      for part in try ranges.split(range, into: Int.random(in: 2...64, using: &random)) {
        #expect(try others.sum(of: part.range) == part.sum, "seed \(seed)")
        parts += part.sum
      }
      #expect(parts == sum, "seed \(seed)")
    }
  }
}
