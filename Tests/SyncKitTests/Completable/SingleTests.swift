import SyncKit
import TestSupport
import Testing

@Suite("Single", .timeLimit(.minutes(1)))
struct SingleTests {
  let shop = Workshop()

  /// Ends with `value` after some seconds.
  private func late<Value: Sendable>(
    _ value: Value, seconds: Int = 1, fault: String? = nil
  ) -> Single<Value> {
    shop.work("\(value)", seconds: seconds, fault: fault).andThen(.just(value))
  }

  @Test("each run does the work again and gives its value")
  func runs() async throws {
    let single = Single { [shop] in
      shop.recorder.record("a")
      return shop.events.count
    }
    #expect(try await single.run() == 1)
    #expect(try await single.run() == 2)
    #expect(try await Single.just(3).run() == 3)
    await #expect(throws: Fault("no")) { try await Single<Int>.failed(Fault("no")).run() }
  }

  @Test("asCompletable drops the value and keeps the error")
  func asCompletable() async throws {
    try await Single.just(1).asCompletable.run()
    await #expect(throws: Fault("no")) {
      try await Single<Int>.failed(Fault("no")).asCompletable.run()
    }
  }

  @Test("map and flatMap")
  func maps() async throws {
    #expect(try await Single.just(2).map { $0 * 3 }.run() == 6)
    #expect(try await Single.just(2).flatMap { .just("\($0)") }.run() == "2")
    await #expect(throws: Fault("no")) {
      try await Single.just(2).map { _ in throw Fault("no") }.run()
    }
  }

  @Test("flatMapCompletable goes on with what the value leads to")
  func flatMapCompletable() async throws {
    try await Single.just("x").flatMapCompletable { [shop] in shop.instant($0) }.run()
    #expect(shop.events == ["x"])
  }

  @Test("after an error or a cancellation, what flatMap leads to never starts")
  func flatMapStops() async throws {
    let failed = Single<Int>.failed(Fault("no"))
    await #expect(throws: Fault("no")) {
      try await failed.flatMapCompletable { [shop] _ in shop.instant("x") }.run()
    }
    let deaf = Single { [shop] in
      try? await shop.clock.sleep(for: .seconds(1))
      return 1
    }
    for operation in [
      deaf.flatMapCompletable { [shop] _ in shop.instant("x") },
      deaf.flatMap { [shop] in shop.instant("x").andThen(.just($0)) }.asCompletable,
    ] {
      let result = try await shop.cancel(operation)
      #expect(result.isCancellation)
    }
    #expect(!shop.events.contains("x"))
  }

  @Test("zip gives the values in the order of the arguments")
  func zipOrder() async throws {
    let zipped = Single.zip([late(3, seconds: 3), late(1, seconds: 1), late(2, seconds: 2)])
    let task = Task { try await zipped.run() }
    for sleepers in [3, 2, 1] {
      try await shop.clock.advance(by: .seconds(1), whenSleeping: sleepers)
    }
    #expect(try await task.value == [3, 1, 2])
  }

  @Test("zip of different types gives a tuple")
  func zipTuple() async throws {
    let zipped = Single.zip(late("a", seconds: 2), late(1), late(true))
    let task = Task { try await zipped.run() }
    try await shop.clock.advance(by: .seconds(1), whenSleeping: 3)
    try await shop.clock.advance(by: .seconds(1))
    let (text, number, flag) = try await task.value
    #expect(text == "a" && number == 1 && flag)
  }

  @Test("zip of nothing gives nothing")
  func zipNothing() async throws {
    #expect(try await Single.zip([Single<Int>]()).run() == [])
  }

  @Test("zip: the first error wins and cancels the rest")
  func zipError() async throws {
    let zipped = Single.zip(late("a", seconds: 9), late(1, seconds: 1, fault: "first"))
    let task = Task { try await zipped.run() }
    try await shop.clock.advance(by: .seconds(1), whenSleeping: 2)
    await #expect(throws: Fault("first")) { try await task.value }
    #expect(shop.events.contains("a is cancelled"))
  }

  @Test("zip: cancelling it cancels all")
  func zipCancellation() async throws {
    let result = try await shop.cancel(
      Single.zip(late("a"), late("b")).asCompletable, whenSleeping: 2)
    #expect(result.isCancellation)
    #expect(shop.events.contains("a is cancelled") && shop.events.contains("b is cancelled"))
  }

  @Test("zip: at most so many at a time")
  func zipBounded() async throws {
    let zipped = Single.zip((0..<4).map { late($0) }, maxConcurrent: 2)
    let task = Task { try await zipped.run() }
    for _ in 0..<2 {
      try await shop.clock.waitForSleepers(2)
      #expect(shop.clock.sleepers == 2)
      try await shop.clock.advance(by: .seconds(1), whenSleeping: 2)
    }
    #expect(try await task.value == [0, 1, 2, 3])
  }

  @Test("catch, onErrorReturn, retry and timeout work as on Completable")
  func others() async throws {
    let failed = Single<Int>.failed(Fault("no"))
    #expect(try await failed.catch { _ in .just(1) }.run() == 1)
    #expect(try await failed.onErrorReturn(2).run() == 2)
    await #expect(throws: Fault("no")) {
      try await failed.onErrorReturn(2) { _ in false }.run()
    }
    let second = Single { [shop] in
      shop.recorder.record("attempt")
      guard shop.events.count == 2 else { throw Fault("once") }
      return 5
    }
    #expect(try await second.retry(.constant(), clock: shop.clock).run() == 5)
    let task = Task { [shop] in
      try await late(1, seconds: 9).timeout(.seconds(5), clock: shop.clock).run()
    }
    try await shop.clock.advance(by: .seconds(5), whenSleeping: 2)
    await #expect(throws: TimedOut.self) { try await task.value }
  }

  @Test("do sees the value; create gives the first result")
  func doAndCreate() async throws {
    let single = Single<Int>.create { [shop] observer in
      observer(.success(7))
      observer(.failure(Fault("late")))
      return { shop.recorder.record("cleaned up") }
    }
    let value = try await single.do(onSuccess: { [shop] in shop.recorder.record("\($0)") }).run()
    #expect(value == 7)
    #expect(shop.events == ["cleaned up", "7"])
  }
}
