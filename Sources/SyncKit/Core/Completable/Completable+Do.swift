extension Completable {
  /// Looks on while the operation runs.
  ///
  /// - Parameters:
  ///   - onSubscribe: before the work starts, once for each `run()`.
  ///   - onCompleted: after it completed; what it throws becomes the error.
  ///   - onError: after it failed; not for a throw in `onCompleted`, and never for cancellation.
  ///   - onDispose: last, once for every ending: completion, error and cancellation.
  public func `do`(
    onSubscribe: (@Sendable () -> Void)? = nil,
    onCompleted: (@Sendable () throws -> Void)? = nil,
    onError: (@Sendable (any Error) -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Completable {
    Completable(
      asSingle.do(
        onSubscribe: onSubscribe, onSuccess: { try onCompleted?() }, onError: onError,
        onDispose: onDispose))
  }
}

extension Single {
  /// Looks on while the operation runs; as `Completable.do`, with the value.
  public func `do`(
    onSubscribe: (@Sendable () -> Void)? = nil,
    onSuccess: (@Sendable (Value) throws -> Void)? = nil,
    onError: (@Sendable (any Error) -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Single {
    Single { [operation] in
      defer { onDispose?() }
      onSubscribe?()
      let value: Value
      do {
        value = try await operation()
      } catch {
        if !Task.isCancelled { onError?(error) }
        throw error
      }
      try onSuccess?(value)
      return value
    }
  }
}
