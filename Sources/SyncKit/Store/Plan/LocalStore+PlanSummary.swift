extension LocalStore {
  /// The plan as people and scripts see it: ids by action.
  package func planSummary(
    direction: Direction, counts: PlanCounts, refused: Refusal?
  ) throws(SyncError) -> SyncPlan {
    var plan = SyncPlan(direction: direction)
    plan.unchanged = counts.unchanged
    plan.refused = refused
    plan.setAside = try listingFaults()
    try reporting {
      let select = try database.prepare("SELECT id, action FROM temp.plan ORDER BY id")
      defer { select.reset() }
      while try select.step() {
        guard let action = PlanAction(rawValue: select.integer(1)) else { continue }
        plan.add(ProjectID(trusted: select.text(0)), action)
      }
    }
    return plan
  }
}

extension SyncPlan {
  fileprivate mutating func add(_ id: ProjectID, _ action: PlanAction) {
    switch action {
    case .appendRemote: remote.append.append(id)
    case .updateRemote: remote.update.append(id)
    case .deleteRemote: remote.delete.append(id)
    case .appendLocal: local.append.append(id)
    case .updateLocal: local.update.append(id)
    case .deleteLocal: local.delete.append(id)
    case .adopt: adopt.append(id)
    case .keepLocal, .keepRemote: kept.append(id)
    case .leaveNewerRemote: remoteNewer.append(id)
    case .leaveNewerLocal: localNewer.append(id)
    case .conflictLocalWins:
      conflicts.append(Conflict(id: id, winner: .local))
      remote.update.append(id)
    case .conflictRemoteWins:
      conflicts.append(Conflict(id: id, winner: .remote))
      local.update.append(id)
    case .conflictMerges:
      conflicts.append(Conflict(id: id, winner: .merged))
      remote.update.append(id)
      local.update.append(id)
    case .conflictWaits: conflicts.append(Conflict(id: id, winner: nil))
    case .setAside:
      setAside.append(
        UnreadableRecord(id: id.string, reason: "set aside after it was refused; unchanged since"))
    case .unfound:
      setAside.append(
        UnreadableRecord(id: id.string, reason: "the remote lists it and does not find it"))
    case .compare, .forget: break
    }
  }
}
