import SyncKit
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Situations with the plan that is expected of each, one JSON file or more of them.
///
/// Read from the directory that `SYNCD_RECONCILE_CASES` names, else from `shared/cases` beside the
/// package, else from the copy among the fixtures.
@Suite("ReconcileCases")
struct ReconcileCases {
  @Test("there are cases, and every file of them can be read")
  func readable() throws {
    #expect(try !ReconcileCase.all().isEmpty)
  }

  @Test("the plan is the expected one", arguments: (try? ReconcileCase.all()) ?? [])
  func plan(of situation: ReconcileCase) throws {
    let reconciler = try Reconciler(
      direction: situation.direction, deletions: situation.deletions, conflicts: .newest)
    let plan = try situation.scenario().plan(by: reconciler)
    let expected = try situation.expect.outcome()
    let outcome = ReconcileOutcome(of: plan)
    #expect(outcome.unchanged == expected.unchanged)
    for key in Set(outcome.lists.keys).union(expected.lists.keys).sorted() {
      #expect(outcome.lists[key, default: []] == expected.lists[key, default: []], "\(key)")
    }
    #expect(outcome.conflicts == expected.conflicts)
  }
}

/// A plan by the names that the cases use.
struct ReconcileOutcome: Equatable {
  var unchanged = 0
  var lists: [String: Set<ProjectID>] = [:]
  var conflicts: [ProjectID: ConflictWinner?] = [:]

  init() {}

  init(of plan: [ProjectID: Decision]) {
    for (id, decision) in plan { add(decision, for: id) }
  }

  private mutating func add(_ decision: Decision, for id: ProjectID) {
    switch decision {
    case .unchanged: unchanged += 1
    case .append(let side): list("\(side)Append", id)
    case .update(let side): list("\(side)Update", id)
    case .delete(let side): list("\(side)Delete", id)
    case .keep(let side): list(side == .local ? "keptLocal" : "keptRemote", id)
    case .leaveNewer(let side): list("\(side)Newer", id)
    case .adopt: list("adopt", id)
    case .forget: list("forget", id)
    case .compareContents: list("undecided", id)
    case .conflict(let winner):
      conflicts.updateValue(winner, forKey: id)
      guard let winner else { return }
      if winner != .local { list("localUpdate", id) }
      if winner != .remote { list("remoteUpdate", id) }
    }
  }

  private mutating func list(_ name: String, _ id: ProjectID) {
    lists[name, default: []].insert(id)
  }
}

struct ReconcileCase: Decodable, Sendable, CustomTestStringConvertible {
  struct Local: Decodable, Sendable {
    var id: String
    var updatedAt: Int64
    var hash: String
  }

  struct Remote: Decodable, Sendable {
    var id: String
    var updatedAt: Int64
    var version: String
    var hash: String
  }

  struct Base: Decodable, Sendable {
    var id: String
    var localUpdatedAt: Int64
    var remoteVersion: String
  }

  struct Conflict: Decodable, Sendable {
    var id: String
    var winner: String
  }

  struct Expectation: Decodable, Sendable {
    var unchanged: Int?
    var conflicts: [Conflict]?
    /// Every other member, by its name.
    var lists: [String: [String]]
  }

  var name: String
  private var directionName: String
  private var deletionsName: String
  var local: [Local]?
  var remote: [Remote]?
  var base: [Base]?
  var expect: Expectation

  private enum CodingKeys: String, CodingKey {
    case name, local, remote, base, expect
    case directionName = "direction"
    case deletionsName = "deletions"
  }

  var testDescription: String { name }

  var direction: Direction {
    get throws { try #require(Direction(rawValue: directionName)) }
  }

  var deletions: DeletionPolicy {
    get throws { try #require(DeletionPolicy(rawValue: deletionsName)) }
  }

  /// An id that one list has twice counts as its last entry.
  func scenario() throws -> Scenario {
    var scenario = Scenario()
    for entry in local ?? [] {
      let stamp = Timestamp(microseconds: entry.updatedAt)
      let id = try ProjectID(entry.id)
      scenario.local[id] = .init(updatedAt: stamp, version: Version(""), hash: entry.hash)
    }
    for entry in remote ?? [] {
      let stamp = Timestamp(microseconds: entry.updatedAt)
      let id = try ProjectID(entry.id)
      let version = Version(entry.version)
      scenario.remote[id] = .init(updatedAt: stamp, version: version, hash: entry.hash)
    }
    for entry in base ?? [] {
      scenario.base[try ProjectID(entry.id)] = BaseEntry(
        localUpdatedAt: Timestamp(microseconds: entry.localUpdatedAt),
        remoteVersion: Version(entry.remoteVersion))
    }
    return scenario
  }
}

extension ReconcileCase.Expectation {
  private struct Name: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Name.self)
    lists = [:]
    for name in members.allKeys {
      switch name.stringValue {
      case "unchanged": unchanged = try members.decode(Int.self, forKey: name)
      case "conflicts": conflicts = try members.decode([ReconcileCase.Conflict].self, forKey: name)
      case let list: lists[list] = try members.decode([String].self, forKey: name)
      }
    }
  }

  func outcome() throws -> ReconcileOutcome {
    var outcome = ReconcileOutcome()
    outcome.unchanged = unchanged ?? 0
    for (name, ids) in lists {
      outcome.lists[name] = Set(try ids.map { try ProjectID($0) })
      #expect(outcome.lists[name]?.count == ids.count, "\(name)")
    }
    for conflict in conflicts ?? [] {
      let winner = try #require(ConflictWinner(rawValue: conflict.winner) as ConflictWinner?)
      outcome.conflicts.updateValue(winner, forKey: try ProjectID(conflict.id))
    }
    return outcome
  }
}

extension ReconcileCase {
  static func all() throws -> [ReconcileCase] {
    let directory = try #require(directories().first { !files(in: $0).isEmpty })
    return try files(in: directory).flatMap { file in
      let text = try Data(contentsOf: URL(filePath: "\(directory)/\(file)"))
      return try JSONDecoder().decode([ReconcileCase].self, from: text)
    }
  }

  private static func files(in directory: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.filter { $0.hasSuffix(".json") }.sorted()
  }

  private static func directories() -> [String] {
    if let named = ProcessInfo.processInfo.environment["SYNCD_RECONCILE_CASES"] { return [named] }
    var parents = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    var directories: [String] = []
    while !parents.isEmpty {
      parents.removeLast()
      directories.append(parents.joined(separator: "/") + "/shared/cases")
    }
    let tests = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
    return directories + [tests.joined(separator: "/") + "/Fixtures"]
  }
}
