extension SyncRun {
  /// Reports a record that was refused. One whose own fault it is (a 4xx that will not pass by itself,
  /// or contents that cannot be taken over) is left alone from now on, until it changes or someone
  /// asks.
  func setAside(
    _ operation: PlannedOperation, status: Int, message: String, _ state: RunState
  ) async throws {
    let action = operation.action.failureAction
    state.fail(operation.id, action, status: status, message: message)
    guard status == 0 || (400..<500).contains(status), ![408, 423, 425, 429].contains(status) else {
      return
    }
    let record = SetAside(
      id: operation.id.string, action: action.rawValue, status: status, message: message,
      since: time.now, localUpdatedAt: operation.local?.updatedAt,
      remoteVersion: operation.remote?.version)
    try await store.setAside([record], remote: state.remoteKey)
  }

  /// Puts the remote's versions of conflicts that wait into the history, each once, so that they can be
  /// looked at offline.
  func keepWaiting(_ state: RunState) async throws {
    var last: ProjectID?
    var size = PageSize()
    while true {
      let page = try await store.unkeptConflicts(
        after: last, limit: size.records, remote: state.remoteKey)
      guard let end = page.last else { return }
      last = end.id
      let contents = try await contents(of: page)
      size.learn(from: contents)
      for (operation, outcome) in zip(page, contents) {
        // One that changed since it was compared is met again by the next run.
        guard let record = outcome.record, record.version == operation.remote?.version else {
          continue
        }
        try await store.keepWaiting(record, remote: state.remoteKey)
      }
    }
  }

  /// Takes note that the remote lists a record and does not find it by its id. One run may have met a
  /// record that just went; when the next one lists it still, the remote contradicts itself.
  func noteUnfound(_ id: ProjectID, _ state: RunState) async throws {
    let message =
      "the remote lists it, and did not find it by its id in this run nor in the one before; see "
      + "whether its list is out of date, or names what these credentials may not read"
    let isKnown = try await store.noteUnfound(
      id, message: message, remote: state.remoteKey, at: time.now)
    guard isKnown else { return state.countDeferred(1) }
    state.fail(id, .update, status: 404, message: message)
  }

  /// Reports what was compared, and not found.
  func noteUnfound(_ state: RunState) async throws {
    var last: ProjectID?
    while case let page = try await store.plannedOperations(.unfound, after: last, limit: 256),
      let end = page.last
    {
      for operation in page { try await noteUnfound(operation.id, state) }
      last = end.id
    }
  }
}

extension PlanAction {
  var failureAction: SyncReport.Failure.Action {
    switch self {
    case .appendRemote, .appendLocal: .append
    case .deleteRemote, .deleteLocal: .delete
    default: .update
    }
  }
}
