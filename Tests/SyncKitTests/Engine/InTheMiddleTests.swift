import Synchronization
import TestSupport
import Testing

@testable import SyncKit

/// Whatever a run is about to do with a record, somebody changes it in the middle.
@Suite("Changed in the middle of a run")
struct InTheMiddleTests {
  /// A record `a` that a run is going to act on in one way.
  enum Situation: String, CaseIterable, Sendable {
    case appendRemote, updateRemote, deleteRemote, appendLocal, updateLocal, deleteLocal
    case localWins, remoteWins, merges, waits

    var policy: ConflictPolicy {
      switch self {
      case .localWins: .local
      case .remoteWins: .remote
      case .merges: .merge
      case .waits: .manual
      default: .newest
      }
    }

    func arrange(_ rig: Rig) async throws {
      switch self {
      case .appendRemote: try await rig.write("a", title: "mine")
      case .appendLocal: rig.remote.put(try rig.project("a", title: "theirs", stamp: 5))
      default:
        try await rig.write("a")
        _ = try await rig.sync(.both)
        switch self {
        case .updateRemote: try await rig.write("a", title: "mine")
        case .deleteRemote: try await rig.remove("a")
        case .updateLocal: try await rig.theirs("a") { $0.title = "theirs" }
        case .deleteLocal: rig.remote.remove(try ProjectID("a"))
        default:
          try await rig.write("a", title: "mine")
          try await rig.theirs("a") { $0.body = "theirs" }
        }
      }
    }
  }

  enum Interference: CaseIterable, Sendable {
    case editHere, deleteHere, editThere, deleteThere

    func happen(_ rig: Rig) async throws {
      let id = try ProjectID("a")
      switch self {
      case .editHere: try await rig.write("a", title: "in the middle")
      case .deleteHere: try await rig.remove("a")
      case .editThere:
        if rig.remote.projects[id] == nil {
          rig.remote.put(try rig.project("a", title: "in the middle", stamp: 5))
        } else {
          try await rig.theirs("a") { $0.title = "in the middle" }
        }
      case .deleteThere: rig.remote.remove(id)
      }
    }
  }

  @Test(
    "nothing is overwritten or deleted unseen, and the runs after it make both sides agree",
    arguments: Situation.allCases, Interference.allCases)
  func nothingUnseen(situation: Situation, interference: Interference) async throws {
    for listsRecords in [true, false] {
      for moment in [Rig.Moment.list, .fetch, .write] {
        try await run(situation, interference, moment, listsRecords)
      }
    }
  }

  private func run(
    _ situation: Situation, _ interference: Interference, _ moment: Rig.Moment,
    _ listsRecords: Bool
  ) async throws {
    let comment: Comment = "\(situation), \(interference) at \(moment), lists: \(listsRecords)"
    // Another record keeps the guards of an empty side out of it.
    let rig = try await Rig(local: ["b"])
    rig.remote.behaviour.listsRecords = listsRecords
    _ = try await rig.sync(.both)
    try await situation.arrange(rig)
    let options = SyncOptions(direction: .both, conflicts: situation.policy)
    let before = try await versions(rig)
    let happened = Mutex(false)
    try await rig.once(at: moment) {
      happened.withLock { $0 = true }
      try await interference.happen(rig)
    }
    _ = try await rig.sync(options)
    rig.remote.setPause(nil)

    // What was written in the middle is there: on a side, or in the history.
    let after = try await versions(rig)
    if happened.withLock({ $0 }), interference == .editHere || interference == .editThere {
      #expect(after.contains { $0.title == "in the middle" }, comment)
    }
    // So is all that was on either side before, but what the other device itself replaced.
    for version in before where !isReplacedThere(version, interference) {
      #expect(after.contains { $0.title == version.title && $0.body == version.body }, comment)
    }
    let isPending = try await rig.store.status(remote: rig.remote.url).pending > 0
    let here = try await rig.store.project(ProjectID("a"))
    let there = rig.remote.projects[try ProjectID("a")]
    if isPending, here?.title != there?.title {
      let plan = try await rig.engine(options).plan()
      #expect(plan.hasWork || !plan.conflicts.isEmpty, comment)
    }
    var report = SyncReport(direction: .both)
    for _ in 0..<3 { report = try await rig.sync(options) }
    if report.outcome == .conflicts {
      #expect(situation == .waits, comment)
    } else {
      #expect(report.outcome == .inSync, comment)
      #expect(rig.remoteTitles == (try await rig.localTitles()), comment)
    }
    try await rig.expectAtRest(options, outcome: report.outcome)
  }

  private struct Contents: Equatable {
    var title: String
    var body: String
    var isRemote: Bool
  }

  /// Every version of `a` on either side and in the history.
  private func versions(_ rig: Rig) async throws -> [Contents] {
    let id = try ProjectID("a")
    var versions = try await rig.store.history(of: id).map {
      Contents(title: $0.project.title, body: $0.project.body, isRemote: false)
    }
    if let here = try await rig.store.project(id) {
      versions.append(Contents(title: here.title, body: here.body, isRemote: false))
    }
    if let there = rig.remote.projects[id] {
      versions.append(Contents(title: there.title, body: there.body, isRemote: true))
    }
    return versions
  }

  private func isReplacedThere(_ version: Contents, _ interference: Interference) -> Bool {
    version.isRemote && (interference == .editThere || interference == .deleteThere)
  }
}
