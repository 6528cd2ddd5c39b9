extension SyncRun {
  /// Reports a record that was refused. One whose own fault it is (a 4xx, or contents that cannot be
  /// taken over) is left alone from now on, until it changes or someone asks.
  func setAside(
    _ operation: PlannedOperation, status: Int, message: String, _ state: RunState
  ) async throws {
    let action = operation.action.failureAction
    state.fail(operation.id, action, status: status, message: message)
    guard status == 0 || (400..<500).contains(status) else { return }
    let record = SetAside(
      id: operation.id.string, action: action.rawValue, status: status, message: message,
      since: time.now, localUpdatedAt: operation.local?.updatedAt,
      remoteVersion: operation.remote?.version)
    try await store.setAside([record], remote: state.remoteKey)
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
