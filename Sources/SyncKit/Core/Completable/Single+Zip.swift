import Synchronization

extension Single {
  /// Runs all at once; ends with their values, in the order of the arguments.
  ///
  /// The first error wins and cancels the rest, as in `Completable.zip`.
  public static func zip<Element: Sendable>(
    _ singles: some Sequence<Single<Element>>, maxConcurrent: Int = .max
  ) -> Single where Value == [Element] {
    let singles = Array(singles)
    return Single {
      let slots = singles.map { _ in ValueSlot<Element>() }
      let filled = Swift.zip(singles, slots).map { $1.filled(by: $0) }
      try await Completable.zip(filled, maxConcurrent: maxConcurrent).run()
      return try slots.map { try $0.value }
    }
  }

  /// Runs all at once; ends with a tuple of their values.
  ///
  /// The first error wins and cancels the rest, as in `Completable.zip`.
  public static func zip<each Element: Sendable>(
    _ singles: repeat Single<each Element>
  ) -> Single where Value == (repeat each Element) {
    Single {
      let slots = (repeat ValueSlot<each Element>())
      var filled: [Completable] = []
      repeat filled.append((each slots).filled(by: each singles))
      try await Completable.zip(filled).run()
      return try (repeat (each slots).value)
    }
  }
}

/// Where one of several operations leaves its value.
private final class ValueSlot<Value: Sendable>: Sendable {
  private let content = Mutex<Value?>(nil)

  func filled(by single: Single<Value>) -> Completable {
    single.map { value in self.content.withLock { $0 = value } }.asCompletable
  }

  var value: Value {
    get throws {
      // Empty only where the operation did not complete, and then nobody reads it.
      guard let value = content.withLock({ $0 }) else { throw CancellationError() }
      return value
    }
  }
}
