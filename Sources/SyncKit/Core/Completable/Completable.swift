/// An operation that only completes or fails, as a value.
///
/// Building one starts nothing. Each `run()` is one subscription and does the work again.
/// Completing means *acknowledged*: an operation on a remote completes when the remote has answered
/// that it is stored, never when the request was handed over. Operators combine operations into
/// larger ones without starting any of them.
///
/// Cancelling the task that runs an operation cancels everything that runs inside it, and nothing
/// that has not started starts any more. Whether that happened is what `Task.isCancelled` says,
/// not the type of the error: a `CancellationError` from a task that is not cancelled is a failure
/// like any other.
///
/// Named after RxSwift's trait, from which it differs in three ways, since here every operation
/// is awaited by the one that contains it:
/// - An error is heard after every sibling has returned. Siblings are cancelled at once, but one
///   that is deaf to cancellation delays the error, a timeout and the cancellation itself.
/// - Siblings may all have started even if the first of them fails at once.
/// - "The first error" is that of the first child to *finish* failing, not of the first to fail
///   inside or the first among the arguments.
public struct Completable: Sendable {
  package let operation: @Sendable () async throws -> Void

  /// Wraps the work of one subscription. It should end soon after its task is cancelled.
  public init(_ operation: @escaping @Sendable () async throws -> Void) {
    self.operation = operation
  }

  /// Does the work once, to its end.
  ///
  /// - Throws: what the operation throws; when the task is cancelled, what its leaves throw then,
  ///   as a rule `CancellationError`.
  public func run() async throws {
    try await operation()
  }

  /// Completes at once.
  public static let completed = Completable {}

  /// Fails at once.
  public static func failed(_ error: any Error) -> Completable {
    Completable { throw error }
  }
}
