/// What the plan says about one id.
package struct PlannedOperation: Sendable, Equatable {
  package var id: ProjectID
  package var action: PlanAction
  package var local: LocalEntry?
  package var remote: RemoteDigest?
  package var base: BaseRow?
  /// The remote's record, where the listing carried it whole.
  package var listed: RemoteRecord?
  /// Whether the store's own history holds exactly what the remote holds now, so that the remote's
  /// copy may be replaced without being fetched first.
  package var isRemoteCopyHeld = false
}

/// An operation and what the local store holds of its record.
package struct OutgoingRecord: Sendable, Equatable {
  package var operation: PlannedOperation
  /// Nil where the record is not there, or not any more.
  package var project: Project?
}

/// A decision, as the plan stores it.
package enum PlanAction: Int64, Sendable, CaseIterable {
  case compare = 0
  case appendRemote, updateRemote, deleteRemote
  case appendLocal, updateLocal, deleteLocal
  /// Both sides changed: the local version replaces the remote one, or the other way round.
  case conflictLocalWins, conflictRemoteWins
  /// Both sides changed: a third version, with the changes of both, replaces both.
  case conflictMerges
  /// Both sides changed, and someone is to decide.
  case conflictWaits
  case adopt, forget
  case keepLocal, keepRemote
  case leaveNewerLocal, leaveNewerRemote
  /// Left alone because of a fault of its own.
  case setAside
  /// Listed, and not found by its id.
  case unfound

  /// Nil where there is nothing to do.
  package init?(_ decision: Decision) {
    switch decision {
    case .unchanged: return nil
    case .append(let side): self = side == .remote ? .appendRemote : .appendLocal
    case .update(let side): self = side == .remote ? .updateRemote : .updateLocal
    case .delete(let side): self = side == .remote ? .deleteRemote : .deleteLocal
    case .keep(let side): self = side == .remote ? .keepRemote : .keepLocal
    case .leaveNewer(let side): self = side == .remote ? .leaveNewerRemote : .leaveNewerLocal
    case .adopt: self = .adopt
    case .conflict(nil): self = .conflictWaits
    case .conflict(.local): self = .conflictLocalWins
    case .conflict(.remote): self = .conflictRemoteWins
    case .conflict(.merged): self = .conflictMerges
    case .forget: self = .forget
    case .compareContents: self = .compare
    }
  }

  /// Whether the remote's contents are taken over, or kept before they are replaced.
  package var needsContents: Bool {
    switch self {
    case .updateLocal, .updateRemote, .conflictLocalWins, .conflictRemoteWins, .conflictMerges: true
    default: false
    }
  }

  /// The actions that write to the remote.
  package static let sends: [PlanAction] = [
    .appendRemote, .updateRemote, .deleteRemote, .conflictLocalWins,
  ]
  /// The actions that write to the local store; what is merged is sent after that.
  package static let receives: [PlanAction] = [
    .appendLocal, .updateLocal, .deleteLocal, .conflictRemoteWins, .conflictMerges,
  ]
}

/// What both sides last agreed on for one id, with what a conditional write needs.
package struct BaseRow: Sendable, Equatable {
  package var entry: BaseEntry
  package var etag: String?
  /// Whether the contents are known to be equal, rather than only the stamps.
  package var isSame: Bool

  package init(entry: BaseEntry, etag: String?, isSame: Bool) {
    self.entry = entry
    self.etag = etag
    self.isSame = isSame
  }
}

/// How many ids of a plan have each action.
package struct PlanCounts: Sendable, Equatable {
  package var unchanged = 0
  package var localRecords = 0
  package var remoteRecords = 0
  package var known = 0
  private var byAction: [PlanAction: Int] = [:]

  package init() {}

  package subscript(action: PlanAction) -> Int {
    get { byAction[action, default: 0] }
    set { byAction[action] = newValue }
  }

  package func total(_ actions: [PlanAction]) -> Int { actions.reduce(0) { $0 + self[$1] } }
}
