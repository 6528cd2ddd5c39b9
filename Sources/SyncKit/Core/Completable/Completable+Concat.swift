extension Completable {
  /// This operation, then `next`.
  ///
  /// `next` does not start when this one fails or the task is cancelled meanwhile.
  public func andThen(_ next: Completable) -> Completable {
    Completable { [operation] in
      try await operation()
      try Task.checkCancellation()
      try await next.run()
    }
  }

  /// This operation, then `next`, whose value is the whole's.
  public func andThen<Value>(_ next: Single<Value>) -> Single<Value> {
    Single { [operation] in
      try await operation()
      try Task.checkCancellation()
      return try await next.run()
    }
  }

  /// This operation, then `next`: `andThen` by its other name.
  public func concat(_ next: Completable) -> Completable { andThen(next) }

  /// All of them, one after the other; of nothing: completes.
  ///
  /// The first error ends it, and what follows never starts.
  public static func concat(_ operations: Completable...) -> Completable { concat(operations) }

  /// All of them, one after the other, each pulled from the sequence when its turn has come.
  public static func concat(_ operations: some Sequence<Completable> & Sendable) -> Completable {
    Completable {
      for operation in operations {
        try Task.checkCancellation()
        try await operation.run()
      }
    }
  }
}
