extension Completable {
  /// Replaces the operation when it fails.
  ///
  /// Never sees cancellation: when the task is cancelled, the error passes, whatever its type.
  public func `catch`(
    _ handler: @escaping @Sendable (any Error) async throws -> Completable
  ) -> Completable {
    Completable(asSingle.catch { try await handler($0).asSingle })
  }

  /// Completes where the operation fails, if the predicate says so.
  ///
  /// Never sees cancellation.
  public func onErrorComplete(
    where predicate: @escaping @Sendable (any Error) -> Bool = { _ in true }
  ) -> Completable {
    Completable(asSingle.onErrorReturn((), where: predicate))
  }
}

extension Single {
  /// Replaces the operation when it fails.
  ///
  /// Never sees cancellation: when the task is cancelled, the error passes, whatever its type.
  public func `catch`(
    _ handler: @escaping @Sendable (any Error) async throws -> Single
  ) -> Single {
    Single { [operation] in
      do {
        return try await operation()
      } catch let error where !Task.isCancelled {
        return try await handler(error).run()
      }
    }
  }

  /// Ends with `value` where the operation fails, if the predicate says so.
  ///
  /// Never sees cancellation.
  public func onErrorReturn(
    _ value: Value, where predicate: @escaping @Sendable (any Error) -> Bool = { _ in true }
  ) -> Single {
    Single { [operation] in
      do {
        return try await operation()
      } catch let error where !Task.isCancelled && predicate(error) {
        return value
      }
    }
  }
}
