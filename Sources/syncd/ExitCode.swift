import HTTPServer
import SyncKit
import SyncServer

/// How a command ended, for whoever started it; the same everywhere.
enum ExitCode: Int32, Sendable, CaseIterable {
  case success = 0
  case partial = 1
  case usage = 2
  case refused = 3
  case conflicts = 4
  case somethingToDo = 10
  case store = 74
  case unavailable = 75
  case protocolViolation = 76
  case unauthorized = 77
  case configuration = 78

  var meaning: String {
    switch self {
    case .success: "done, in sync"
    case .partial: "done, but some records failed; they are kept and tried again"
    case .usage: "wrong usage"
    case .refused: "a safety guard refused; nothing was changed"
    case .conflicts: "conflicts wait for a decision (conflicts: \"manual\")"
    case .somethingToDo: "plan --exit-code: there is something to do"
    case .store: "the local store cannot be read or written, or is damaged"
    case .unavailable:
      "offline, remote unavailable, or another run holds the store: nothing lost, try later"
    case .protocolViolation: "the remote answered something that is not the contract"
    case .unauthorized: "the remote refused the credentials"
    case .configuration: "configuration error"
    }
  }
}

extension ExitCode {
  init(_ outcome: SyncReport.Outcome) {
    self =
      switch outcome {
      case .inSync: .success
      case .partial: .partial
      case .refused: .refused
      case .conflicts: .conflicts
      case .offline, .locked: .unavailable
      case .protocol: .protocolViolation
      case .unauthorized: .unauthorized
      case .storeError: .store
      case .configError: .configuration
      }
  }

  init(_ code: SyncError.Code) {
    self =
      switch code {
      case .store: .store
      case .locked, .offline: .unavailable
      case .protocolViolation: .protocolViolation
      case .unauthorized: .unauthorized
      case .configuration: .configuration
      case .notFound: .partial
      case .invalidInput: .usage
      }
  }

  init(for error: any Error) {
    self =
      switch error {
      case is UsageError: .usage
      case is ConfigurationError: .configuration
      case let error as SyncError: ExitCode(error.code)
      case let error as ServerError: ExitCode(error.code)
      case let error as ListenError: ExitCode(error.code)
      case is CancellationError: .unavailable
      case let error as OutputError where error.isClosedPipe: .success
      default: .store
      }
  }
}

extension ExitCode {
  init(_ code: ListenError.Code) {
    self =
      switch code {
      case .usage: .usage
      case .configuration: .configuration
      case .address, .occupied: .unavailable
      }
  }
}

extension SyncReport.Outcome {
  /// The outcome of a run that could not even begin.
  init(_ code: SyncError.Code) {
    self =
      switch code {
      case .store, .notFound: .storeError
      case .locked: .locked
      case .offline: .offline
      case .protocolViolation: .protocol
      case .unauthorized: .unauthorized
      case .configuration, .invalidInput: .configError
      }
  }
}
