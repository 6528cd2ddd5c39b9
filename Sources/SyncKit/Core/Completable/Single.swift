/// An operation that ends with one value or fails; otherwise as `Completable`.
public struct Single<Value: Sendable>: Sendable {
  package let operation: @Sendable () async throws -> Value

  /// Wraps the work of one subscription. It should end soon after its task is cancelled.
  public init(_ operation: @escaping @Sendable () async throws -> Value) {
    self.operation = operation
  }

  /// Does the work once, to its end.
  public func run() async throws -> Value {
    try await operation()
  }

  /// Ends at once with `value`.
  public static func just(_ value: Value) -> Single { Single { value } }

  /// Fails at once.
  public static func failed(_ error: any Error) -> Single { Single { throw error } }
}

extension Single {
  /// The same operation, its value dropped.
  public var asCompletable: Completable {
    Completable { [operation] in _ = try await operation() }
  }

  /// Makes another value of this one's.
  public func map<Other: Sendable>(
    _ transform: @escaping @Sendable (Value) async throws -> Other
  ) -> Single<Other> {
    Single<Other> { [operation] in try await transform(try await operation()) }
  }

  /// Goes on with the operation that the value leads to.
  ///
  /// What follows does not start when this one fails or the task is cancelled meanwhile.
  public func flatMap<Other: Sendable>(
    _ next: @escaping @Sendable (Value) async throws -> Single<Other>
  ) -> Single<Other> {
    Single<Other> { [operation] in
      let value = try await operation()
      try Task.checkCancellation()
      return try await next(value).run()
    }
  }

  /// Goes on with the completable that the value leads to.
  ///
  /// What follows does not start when this one fails or the task is cancelled meanwhile.
  public func flatMapCompletable(
    _ next: @escaping @Sendable (Value) async throws -> Completable
  ) -> Completable {
    Completable { [operation] in
      let value = try await operation()
      try Task.checkCancellation()
      try await next(value).run()
    }
  }
}

extension Completable {
  /// The same operation with an empty value, on which the operators of both types are built.
  var asSingle: Single<Void> { Single(operation) }

  init(_ single: Single<Void>) {
    self.init(single.operation)
  }
}
