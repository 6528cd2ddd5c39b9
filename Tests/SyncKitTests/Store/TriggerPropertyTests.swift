import SyncKit
import Testing

@testable import SyncKit

/// Whatever plain SQL does to `projects`, stamps grow, nothing is lost and every change is noted.
@Suite("Any SQL from any program")
struct TriggerPropertyTests {
  @Test(
    "keeps every version, moves every stamp forward, and is journalled",
    arguments: [false, true])
  func random(recursiveTriggers: Bool) throws {
    for _ in 0..<4 {
      let seed = UInt64.random(in: .min ... .max)
      var witness = try Witness(seed: seed, recursiveTriggers: recursiveTriggers)
      for _ in 0..<100 {
        let sql = witness.statement()
        if let complaint = try witness.run(sql) {
          Issue.record(
            "seed \(seed), recursive_triggers \(recursiveTriggers): \(complaint)\n\(sql)")
          return
        }
      }
    }
  }
}

private struct Row: Hashable {
  var id: String
  var contents: [String]
  var stamp: Int64
}

/// Runs statements and checks what they left behind.
private struct Witness {
  let store: TemporaryStore
  let database: Database
  let recursive: Bool
  var random: SeededRandom
  /// Every version ever seen.
  var seen: Set<Row> = []

  init(seed: UInt64, recursiveTriggers: Bool) throws {
    store = try TemporaryStore()
    database = try store.connect(recursiveTriggers: recursiveTriggers)
    try database.execute("PRAGMA synchronous=OFF")
    recursive = recursiveTriggers
    random = SeededRandom(seed: seed)
  }

  // MARK: Statements

  private mutating func pick(_ choices: [String]) -> String {
    choices.randomElement(using: &random) ?? ""
  }

  private mutating func id() -> String { pick(["'a'", "'b'", "'c'", "'d'"]) }
  private mutating func title() -> String { pick(["'x'", "'y'", "'z'", "''", "NULL"]) }
  private mutating func stamp() -> String {
    pick(["5", "6", "7", "NULL", "4000000000000000", "4000000000000001", "253402300799999999"])
  }

  mutating func statement() -> String {
    let or = pick(["", "", " OR REPLACE", " OR REPLACE", " OR IGNORE", " OR FAIL", " OR ABORT"])
    switch Int.random(in: 0..<16, using: &random) {
    case 0, 1: return "INSERT\(or) INTO projects(id,title) VALUES(\(id()),\(title()))"
    case 2, 3:
      return "INSERT\(or) INTO projects(id,title,created_at,updated_at)"
        + " VALUES(\(id()),\(title()),\(pick(["1", "NULL"])),\(stamp()))"
    case 4:
      return "INSERT\(or) INTO projects(rowid,id,title)"
        + " VALUES(\(pick(["1", "2", "3", "-1"])),\(id()),\(title()))"
    case 5:
      return "INSERT INTO projects(id,title) VALUES(\(id()),\(title()))"
        + " ON CONFLICT(id) DO UPDATE SET title=\(pick(["excluded.title", "title"]))"
    case 6: return "INSERT INTO projects(id) VALUES(\(id())) ON CONFLICT DO NOTHING"
    case 7: return "INSERT\(or) INTO projects SELECT * FROM projects WHERE id=\(id())"
    case 8, 9: return "UPDATE\(or) projects SET title=\(title()) WHERE id=\(id())"
    case 10: return "UPDATE projects SET updated_at=\(stamp()) WHERE id=\(id())"
    case 11: return "UPDATE projects SET title=\(title()), updated_at=\(stamp()) WHERE id=\(id())"
    case 12: return "UPDATE\(or) projects SET id=\(id()) WHERE id=\(id())"
    case 13: return "UPDATE\(or) projects SET rowid=\(pick(["1", "2", "9"])) WHERE id=\(id())"
    case 14: return "DELETE FROM projects WHERE id=\(id())"
    default:
      return pick([
        "UPDATE projects SET title='x'", "UPDATE projects SET created_at=NULL",
        "DELETE FROM projects",
        "INSERT OR IGNORE INTO syncd_base(remote, id, local_updated_at, remote_version, same)"
          + " SELECT 1,id,updated_at,'v',1 FROM projects"
          + " WHERE EXISTS(SELECT 1 FROM syncd_remote)",
      ])
    }
  }

  // MARK: What is left

  private func rows(_ sql: String) throws -> [Row] {
    try database.rows(sql, columns: 8).map { columns in
      Row(
        id: columns[0], contents: Array(columns[1..<6]) + [columns[7]],
        stamp: Int64(columns[6]) ?? .min)
    }
  }

  private func projects() throws -> [String: Row] {
    let rows = try rows("SELECT \(ProjectRow.columns) FROM projects")
    return Dictionary(rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private func history() throws -> [Row] {
    try rows("SELECT \(ProjectRow.columns) FROM syncd_history WHERE origin='local'")
  }

  private func journal() throws -> [String: [String]] {
    let rows = try database.rows("SELECT id, seq, operation FROM syncd_journal", columns: 3)
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0) })
  }

  /// A refused statement counts for what it did before.
  private func execute(_ sql: String) throws(DatabaseError) {
    do {
      try database.execute(sql)
    } catch {
      if error.kind != .constraint { throw error }
    }
  }

  /// - Returns: what is wrong.
  mutating func run(_ sql: String) throws -> String? {
    let before = try projects()
    let historyBefore = try history()
    let journalBefore = try journal()
    try execute(sql)
    let after = try projects()
    let newHistory = Array(try history().dropFirst(historyBefore.count))
    let journalAfter = try journal()

    let changedIDs = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
    let complaints = changedIDs.compactMap { id in
      changed(id, before[id], after[id], newHistory, journalBefore[id], journalAfter[id])
    }
    if let complaint = complaints.first { return complaint }
    let superseded = before.values.filter { after[$0.id] != $0 }
    if newHistory.count > superseded.count && !recursive {
      return "bogus versions: \(newHistory) for \(superseded)"
    }
    if let bogus = newHistory.first(where: { before[$0.id] != $0 }) {
      return "a version that never was: \(bogus)"
    }
    seen.formUnion(after.values)
    return try database.integer("SELECT applying FROM syncd_store") == 0 ? nil : "still applying"
  }

  private func changed(
    _ id: String, _ old: Row?, _ new: Row?, _ newHistory: [Row],
    _ entryBefore: [String]?, _ entryAfter: [String]?
  ) -> String? {
    if let old, !newHistory.contains(old) { return "lost: \(old)" }
    guard let entry = entryAfter, entry != entryBefore else {
      return "not noted: \(id)"
    }
    if entry[2] != (new == nil ? "delete" : "put") { return "noted as \(entry)" }
    guard let new else { return nil }
    if new.stamp == .min || new.contents[4] == "-" { return "without stamps: \(new)" }
    if let old, new.stamp <= old.stamp, !seen.contains(new) {
      return "the stamp did not grow: \(old) \(new)"
    }
    let twin = seen.first { $0.id == id && $0.stamp == new.stamp && $0 != new }
    return twin.map { "two versions under one stamp: \($0) \(new)" }
  }
}

/// SplitMix64: the same seed, the same numbers, everywhere.
private struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
