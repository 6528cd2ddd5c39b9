import SyncKit
import TestSupport

/// Both sides and their base, as small as the rules of reconciliation allow: a record is its stamp,
/// the remote's version of it, and the hash of its contents.
struct Scenario: Equatable {
  struct Copy: Equatable {
    var updatedAt: Timestamp
    /// What the remote calls it; on the local side without meaning.
    var version: Version
    var hash: String
  }

  var local: [ProjectID: Copy] = [:]
  var remote: [ProjectID: Copy] = [:]
  var base: [ProjectID: BaseEntry] = [:]

  var ids: Set<ProjectID> { Set(local.keys).union(remote.keys).union(base.keys) }

  /// The decision for one id, with the contents compared where the rules ask for it.
  func decide(_ id: ProjectID, by reconciler: Reconciler) -> Decision {
    let first = decide(id, by: reconciler, contents: nil)
    guard first == .compareContents else { return first }
    return decide(id, by: reconciler, contents: comparison(of: id))
  }

  func decide(
    _ id: ProjectID, by reconciler: Reconciler, contents: ContentComparison?
  ) -> Decision {
    reconciler.decide(
      local: local[id].map { LocalEntry(updatedAt: $0.updatedAt) },
      remote: remote[id].map { RemoteEntry(updatedAt: $0.updatedAt, version: $0.version) },
      base: base[id], contents: contents)
  }

  /// How the two contents compare; nil where one side has none.
  func comparison(of id: ProjectID) -> ContentComparison? {
    guard let local = local[id]?.hash, let remote = remote[id]?.hash else { return nil }
    return local == remote ? .same : .different(greaterHash: local > remote ? .local : .remote)
  }

  func plan(by reconciler: Reconciler) -> [ProjectID: Decision] {
    Dictionary(uniqueKeysWithValues: ids.map { ($0, decide($0, by: reconciler)) })
  }
}

extension Scenario {
  /// Does what a run does; the remote gives what it stores a version of its own.
  mutating func apply(_ plan: [ProjectID: Decision]) {
    for (id, decision) in plan {
      switch decision {
      case .append(.local), .update(.local), .conflict(.some(.remote)):
        local[id] = remote[id]
        agree(on: id)
      case .append(.remote), .update(.remote), .conflict(.some(.local)):
        remote[id] = local[id]
        remote[id]?.version = Version("written")
        agree(on: id)
      case .delete(let side):
        self[side][id] = nil
        base[id] = nil
      case .adopt: agree(on: id)
      case .forget: base[id] = nil
      case .unchanged, .keep, .leaveNewer, .conflict(nil), .compareContents: break
      // The rules merge only where they are told that they can.
      case .conflict(.some(.merged)): break
      }
    }
  }

  private mutating func agree(on id: ProjectID) {
    guard let local = local[id], let remote = remote[id] else { return }
    base[id] = BaseEntry(localUpdatedAt: local.updatedAt, remoteVersion: remote.version)
  }

  subscript(side: Side) -> [ProjectID: Copy] {
    get { side == .local ? local : remote }
    set { if side == .local { local = newValue } else { remote = newValue } }
  }

  /// The sides exchanged. Only where a remote's version is its stamp is this the same situation.
  var mirrored: Scenario {
    var mirrored = Scenario(local: remote, remote: local)
    for (id, entry) in base {
      guard let remoteStamp = Timestamp(rfc3339: entry.remoteVersion.raw) else { continue }
      mirrored.base[id] = BaseEntry(
        localUpdatedAt: remoteStamp, remoteVersion: Version(entry.localUpdatedAt))
    }
    return mirrored
  }
}

extension Scenario {
  /// A situation that chance makes: every relation of stamps, versions and contents occurs.
  ///
  /// - Parameter versionIsStamp: whether the remote has no versions but its stamps.
  static func random(
    using random: inout SeededGenerator, versionIsStamp: Bool = false
  ) -> Scenario {
    let prefixes = ["p", "é", "e\u{301}", "프", "🗓"]
    var scenario = Scenario()
    for number in 0..<Int.random(in: 0...10, using: &random) {
      let prefix = prefixes[number % prefixes.count]
      let id = ProjectID(trusted: "\(prefix)\(number / prefixes.count)")
      func copy() -> Copy {
        let stamp = Timestamp(microseconds: .random(in: 1...4, using: &random))
        let revision = Version("v\(Int.random(in: 1...3, using: &random))")
        return Copy(
          updatedAt: stamp, version: versionIsStamp ? Version(stamp) : revision,
          hash: ["a", "b", "c"][Int.random(in: 0..<3, using: &random)])
      }
      if Int.random(in: 0..<4, using: &random) > 0 { scenario.local[id] = copy() }
      if Int.random(in: 0..<4, using: &random) > 0 { scenario.remote[id] = copy() }
      if Int.random(in: 0..<3, using: &random) > 0 {
        let known = scenario.local[id] ?? copy()
        let seen = scenario.remote[id] ?? copy()
        let (older, other) = (copy(), copy())
        scenario.base[id] = BaseEntry(
          localUpdatedAt: Bool.random(using: &random) ? known.updatedAt : older.updatedAt,
          remoteVersion: Bool.random(using: &random) ? seen.version : other.version)
      }
    }
    return scenario
  }
}
