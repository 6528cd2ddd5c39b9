public import SyncKit

/// One request to a `MemoryRemote`.
public enum MemoryRequest: Sendable, Equatable {
  case list
  case probe
  case fetch([ProjectID])
  case write(RemoteWrite)

  /// The id that is written, if any.
  public var writtenID: ProjectID? {
    if case .write(let write) = self { write.id } else { nil }
  }
}

/// What goes wrong with a request.
public enum MemoryFault: Sendable {
  /// Nothing reached the remote.
  case offline
  /// The write was carried out, but its answer was lost.
  case lostReply
  case unauthorized
  case protocolViolation
  /// This record is refused; for a listing, the whole of it.
  case refused(status: Int, message: String)
  /// The remote says 412, whatever it holds.
  case preconditionFailed
  case error(SyncError)
  case cancelled

  func error(of url: String) -> any Error {
    switch self {
    case .offline: SyncError(.offline, "\(url): cannot connect")
    case .lostReply: SyncError(.offline, "\(url): the connection was lost")
    case .unauthorized: SyncError(.unauthorized, "\(url): refused the credentials", status: 401)
    case .protocolViolation: SyncError(.protocolViolation, "\(url): not the contract")
    case .refused(let status, let message):
      SyncError(.protocolViolation, "\(url): \(status): \(message)", status: status)
    case .preconditionFailed:
      SyncError(.protocolViolation, "\(url): 412 on a request without a condition", status: 412)
    case .error(let error): error
    case .cancelled: CancellationError()
    }
  }
}
