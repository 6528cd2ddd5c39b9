/// How an operation of the callback world ends.
public enum CompletableEvent: Sendable {
  case completed
  case error(any Error)
}

extension Completable {
  /// Bridges an operation that answers by callback.
  ///
  /// The first event decides; later ones are ignored. Cancellation decides too: `run()` throws
  /// `CancellationError` then, and a task that is cancelled beforehand never subscribes. An
  /// operation that sends no event at all runs until it is cancelled.
  ///
  /// - Parameter subscribe: starts the work, is given where to send the event, from any thread,
  ///   and returns the cleanup. The cleanup runs exactly once, on completion, error and
  ///   cancellation, and has returned before `run()` does.
  public static func create(
    _ subscribe:
      @escaping @Sendable (
        _ observer: @escaping @Sendable (CompletableEvent) -> Void
      ) -> @Sendable () -> Void
  ) -> Completable {
    Completable(
      Single.create { observer in
        subscribe { event in
          switch event {
          case .completed: observer(.success(()))
          case .error(let error): observer(.failure(error))
          }
        }
      })
  }
}

extension Single {
  /// Bridges an operation that answers by callback; as `Completable.create`, with the value.
  public static func create(
    _ subscribe:
      @escaping @Sendable (
        _ observer: @escaping @Sendable (Result<Value, any Error>) -> Void
      ) -> @Sendable () -> Void
  ) -> Single {
    Single {
      let subscription = CallbackSubscription<Value>()
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          guard subscription.begin(continuation) else { return }
          subscription.install(cleanup: subscribe { subscription.end(with: $0) })
        }
      } onCancel: {
        subscription.end(with: .failure(CancellationError()))
      }
    }
  }
}
