extension SyncReport.Outcome {
  /// The outcome that a run ends with when this error ended it.
  init(_ error: any Error) {
    self =
      switch (error as? SyncError)?.code {
      case .store, .notFound, .invalidInput, nil: .storeError
      case .locked: .locked
      case .offline: .offline
      case .protocolViolation: .protocol
      case .unauthorized: .unauthorized
      case .configuration: .configError
      }
  }
}

extension SyncReport {
  /// Takes over the error that ended the run.
  mutating func end(with error: any Error) {
    outcome = Outcome(error)
    message = "\(error)"
  }

  /// Takes over what a plan says of records that no operation touches.
  mutating func note(_ counts: PlanCounts) {
    unchanged = counts.unchanged
    adopted = counts[.adopt]
    remoteNewer = counts.total([.leaveNewerLocal, .leaveNewerRemote])
    kept = counts.total([.keepLocal, .keepRemote])
  }

  mutating func measure(from before: HTTPTraffic, to after: HTTPTraffic, seconds: Duration) {
    requests = after.requests - before.requests
    bytesSent = after.bytesSent - before.bytesSent
    bytesReceived = after.bytesReceived - before.bytesReceived
    let (whole, attoseconds) = seconds.components
    self.seconds = Double(whole) + Double(attoseconds) / 1e18
  }

  /// What a person should know although the run went through.
  func remark(
    deferred: Int, waiting: Int, isRestored: Bool, isRolledBack: Bool
  ) -> String {
    var remarks: [String] = []
    if !failed.isEmpty {
      remarks.append(counted(failed.count, "record") + " failed, kept and tried again")
    }
    if waiting > 0 {
      remarks.append(
        counted(waiting, "conflict") + (waiting == 1 ? " waits" : " wait")
          + " for a decision; see syncd conflicts")
    }
    if remoteNewer > 0 {
      let side = direction == .pull ? "local" : "remote"
      remarks.append(counted(remoteNewer, "record") + " newer on the \(side) side, left alone")
    }
    if deferred > 0 {
      remarks.append(counted(deferred, "record") + " changed meanwhile, left to the next run")
    }
    if isRolledBack {
      remarks.append(
        "the remote was put back to an older state: what it lost is sent again, nothing is deleted here "
          + "because it lacks it, and what changed there since is compared with what is here")
    }
    if isRestored {
      remarks.append(
        "this store was restored from an older copy: what it does not know stays on the remote, and "
          + "what was deleted there since is not sent again, until a run with --force-delete")
    }
    return remarks.joined(separator: "; ")
  }
}

extension SyncReport.Failure {
  /// A record that an earlier run set aside and this one did not try.
  init(_ record: SetAside) {
    self.init(
      id: record.id, action: Action(rawValue: record.action) ?? .update, status: record.status,
      message: record.message)
  }
}

extension Refusal {
  /// Why the run was refused and what to do, in one sentence.
  public var explanation: String {
    let other = side == .local ? "remote" : "local store"
    let own = side == .local ? "local store" : "remote"
    return switch `guard` {
    case .emptySide where of == 0:
      "refused: the \(own) is empty although it was known to hold records; if that is right, run "
        + "again with --allow-empty"
    case .emptySide:
      "refused: the \(other) is empty, and the run would delete \(deletions) of "
        + "\(counted(of, "record")) of the \(own); "
        + (side == .remote
          ? "to fill the store instead, set direction to \"pull\" or \"both\"; " : "")
        + "if every one is to go, run again with --allow-empty"
    case .massDeletion:
      "refused: the run would delete \(deletions) of \(counted(of, "record")) of the \(own); if that is "
        + "right, run again with --force-delete"
    }
  }
}
