import SyncKit
import TestSupport
import Testing

@Suite("Completable.retry", .timeLimit(.minutes(1)))
struct CompletableRetryTests {
  let shop = Workshop()

  /// Fails in all attempts but the last of `attempts`, and records when each was made.
  private func failing(attempts: Int) -> Completable {
    Completable { [shop] in
      let number = shop.events.count + 1
      shop.recorder.record("\(number) at \(shop.clock.now)")
      if number < attempts { throw Fault("\(number)") }
    }
  }

  @Test("attempts are made until one completes, the schedule's delay between them")
  func untilSuccess() async throws {
    let operation = failing(attempts: 3).retry(.constant(.seconds(2)), clock: shop.clock)
    let task = Task { try await operation.run() }
    try await shop.clock.advance(by: .seconds(2))
    try await shop.clock.advance(by: .seconds(2))
    try await task.value
    #expect(shop.events == ["1 at 0.0 seconds", "2 at 2.0 seconds", "3 at 4.0 seconds"])
  }

  @Test("it counts attempts, not retries; the last one's error is thrown", arguments: [1, 2, 5])
  func attempts(count: Int) async throws {
    let operation = failing(attempts: .max).retry(.constant(attempts: count), clock: shop.clock)
    await #expect(throws: Fault("\(count)")) { try await operation.run() }
    #expect(shop.events.count == count)
  }

  @Test("at least one attempt is made", arguments: [0, -1])
  func oneAttempt(count: Int) async throws {
    let operation = failing(attempts: .max).retry(.constant(attempts: count), clock: shop.clock)
    await #expect(throws: Fault("1")) { try await operation.run() }
  }

  @Test("success is not tried again")
  func success() async throws {
    try await shop.instant("a").retry(.constant(), clock: shop.clock).run()
    #expect(shop.events == ["a"])
  }

  @Test("the predicate is given the error and the attempt's number, and may give up")
  func predicate() async throws {
    let asked = Recorder()
    let operation = failing(attempts: .max).retry(.constant(), clock: shop.clock) {
      error, attempt in
      asked.record("\(error) in \(attempt)")
      return attempt < 3 ? .retry : .giveUp
    }
    await #expect(throws: Fault("3")) { try await operation.run() }
    #expect(asked.events == ["1 in 1", "2 in 2", "3 in 3"])
  }

  @Test(
    "a demanded delay is the least that passes",
    arguments: [(demanded: 7, passes: 7), (2, 3), (0, 3), (-1, 3), (3600, 3600)])
  func retryAfter(demanded: Int, passes: Int) async throws {
    let operation = failing(attempts: 2).retry(
      .constant(.seconds(3)), clock: shop.clock
    ) { _, _ in .retryAfter(.seconds(demanded)) }
    let task = Task { try await operation.run() }
    let passed = try await shop.clock.advanceToNextDeadline()
    #expect(passed == .seconds(passes))
    try await task.value
  }

  @Test("cancelled during an attempt, the predicate is not asked")
  func cancelledAttempt() async throws {
    let asked = Recorder()
    let operation = shop.work("a").retry(.constant(), clock: shop.clock) { _, _ in
      asked.record("asked")
      return .retry
    }
    let result = try await shop.cancel(operation)
    #expect(result.isCancellation)
    #expect(asked.events.isEmpty)
    #expect(shop.recorder.count(of: "a starts") == 1)
  }

  @Test("the delay is cancellable")
  func cancelledDelay() async throws {
    let operation = failing(attempts: .max).retry(.constant(.seconds(300)), clock: shop.clock)
    let task = Task { try await operation.run() }
    try await shop.clock.waitForSleepers(1)
    task.cancel()
    let result = await task.result
    #expect(result.isCancellation)
    #expect(shop.events.count == 1)
    #expect(shop.clock.sleepers == 0)
  }

  @Test("cancelled while the predicate thinks, no attempt follows, even without a delay")
  func cancelledDecision() async throws {
    let operation = failing(attempts: .max).retry(.constant(), clock: shop.clock) { [shop] _, _ in
      try? await shop.clock.sleep(for: .seconds(1))
      return .retry
    }
    let task = Task { try await operation.run() }
    try await shop.clock.waitForSleepers(1)
    task.cancel()
    let result = await task.result
    #expect(result.isCancellation)
    #expect(shop.events.count == 1)
  }

  @Test("each run counts its attempts anew")
  func again() async throws {
    let operation = shop.instant("a", fault: "no").retry(.constant(attempts: 2), clock: shop.clock)
    for _ in 0..<2 { await #expect(throws: Fault("no")) { try await operation.run() } }
    #expect(shop.events.count == 4)
  }

  @Test("a source of randomness decides the delays")
  func randomness() async throws {
    let schedule = BackoffSchedule.fullJitter(base: .seconds(1), cap: .seconds(300))
    var same = SeededGenerator(seed: 42)
    let expected = (1...6).map { schedule.delay(afterAttempt: $0, using: &same) }
    let operation = failing(attempts: 7).retry(
      schedule, clock: shop.clock, random: .seeded(42))
    let task = Task { try await operation.run() }
    for delay in expected {
      #expect(try await shop.clock.advanceToNextDeadline() == delay)
    }
    try await task.value
  }
}

@Suite("BackoffSchedule")
struct BackoffScheduleTests {
  @Test("attempts 1 to 200 stay within 0 and the cap")
  func bounds() {
    let schedule = BackoffSchedule.fullJitter(base: .seconds(1), cap: .seconds(300))
    var random = SeededGenerator(seed: 1)
    for attempt in 1...200 {
      for _ in 0..<50 {
        let delay = schedule.delay(afterAttempt: attempt, using: &random)
        #expect(delay >= .zero && delay <= .seconds(300))
      }
    }
  }

  /// Gives the greatest value of any range.
  private struct Highest: RandomNumberGenerator {
    func next() -> UInt64 { .max }
  }

  /// Gives the least value of any range; not zeros, which range sampling may reject for ever.
  private struct Lowest: RandomNumberGenerator {
    func next() -> UInt64 { 1 }
  }

  @Test("the limit doubles with every attempt, up to the cap")
  func doubling() {
    let schedule = BackoffSchedule.fullJitter(base: .seconds(1), cap: .seconds(300))
    var highest = Highest()
    var lowest = Lowest()
    let limits = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]
    for (attempt, limit) in zip(1..., limits) {
      #expect(schedule.delay(afterAttempt: attempt, using: &highest) == .seconds(limit))
      #expect(schedule.delay(afterAttempt: attempt, using: &lowest) == .zero)
    }
  }

  @Test(
    "nothing overflows",
    arguments: [
      (base: Duration.seconds(1), cap: Duration.seconds(Int64.max)),
      (.seconds(Int64.max), .seconds(Int64.max)), (.microseconds(1), .seconds(300)),
      (.zero, .seconds(300)), (.seconds(10), .seconds(1)), (.seconds(-1), .seconds(-1)),
      (.nanoseconds(1), .seconds(1)), (.seconds(Int64.min), .seconds(5)),
    ])
  func extremes(base: Duration, cap: Duration) {
    var random = SeededGenerator(seed: 3)
    for attempt in [Int.min, 0, 1, 2, 63, 64, 65, 200, 100_000, .max] {
      let delay = BackoffSchedule.fullJitter(base: base, cap: cap)
        .delay(afterAttempt: attempt, using: &random)
      #expect(delay >= .zero && delay <= max(.zero, cap))
    }
  }

  @Test("delays spread over the whole range")
  func spread() {
    let schedule = BackoffSchedule.fullJitter(base: .seconds(1), cap: .seconds(300))
    var random = SeededGenerator(seed: 7)
    let delays = (0..<1000).map { _ in schedule.delay(afterAttempt: 20, using: &random) }
    for tenth in 0..<10 {
      let range = Duration.seconds(30 * tenth)..<Duration.seconds(30 * tenth + 30)
      #expect((50...200).contains(delays.count { range.contains($0) }))
    }
  }

  @Test("the same randomness gives the same delays")
  func pure() {
    let schedule = BackoffSchedule.fullJitter()
    var one = SeededGenerator(seed: 9)
    var two = SeededGenerator(seed: 9)
    for attempt in 1...200 {
      #expect(
        schedule.delay(afterAttempt: attempt, using: &one)
          == schedule.delay(afterAttempt: attempt, using: &two))
    }
  }

  @Test("a constant schedule is constant and never negative")
  func constant() {
    var random = SeededGenerator(seed: 9)
    for attempt in [1, 2, 200] {
      #expect(
        BackoffSchedule.constant(.seconds(2)).delay(afterAttempt: attempt, using: &random)
          == .seconds(2))
      #expect(
        BackoffSchedule.constant(.seconds(-2)).delay(afterAttempt: attempt, using: &random)
          == .zero)
    }
  }
}
