import SyncKit

extension SyncReport {
  /// The report of a run that could not begin, or could not be asked for; nil where the error is none of
  /// a run's: wrong usage, an interruption.
  init?(_ error: any Error, direction: Direction) {
    self.init(direction: direction)
    switch error {
    case let error as ConfigurationError:
      (outcome, message) = (.configError, error.description)
    case let error as SyncError: (outcome, message) = (Outcome(error.code), error.message)
    default: return nil
    }
  }
}
