import SyncKit
import TestSupport
import Testing

@Suite("Completable.timeout", .timeLimit(.minutes(1)))
struct CompletableTimeoutTests {
  let shop = Workshop()

  @Test("an operation that is done in time decides, and the timer is cancelled")
  func inTime() async throws {
    let task = shop.start(shop.work("a", seconds: 1).timeout(.seconds(5), clock: shop.clock))
    try await shop.clock.advance(by: .seconds(1), whenSleeping: 2)
    try await task.value
    #expect(shop.clock.sleepers == 0)
    #expect(shop.events == ["a starts", "a ends", "over"])
  }

  @Test("an error in time decides")
  func errorInTime() async throws {
    let task = shop.start(
      shop.work("a", seconds: 1, fault: "no").timeout(.seconds(5), clock: shop.clock))
    try await shop.clock.advance(by: .seconds(1), whenSleeping: 2)
    await #expect(throws: Fault("no")) { try await task.value }
    #expect(shop.clock.sleepers == 0)
  }

  @Test("when the time is up the operation is cancelled and TimedOut is thrown")
  func tooLate() async throws {
    let task = shop.start(shop.work("a", seconds: 9).timeout(.seconds(5), clock: shop.clock))
    try await shop.clock.advance(by: .seconds(5), whenSleeping: 2)
    await #expect(throws: TimedOut(limit: .seconds(5))) { try await task.value }
    #expect(shop.events == ["a starts", "a is cancelled", "over"])
  }

  @Test("what an operation does after the time was up is not heard", arguments: [true, false])
  func afterwards(fails: Bool) async throws {
    let stubborn = Completable { [shop] in
      try? await shop.clock.sleep(for: .seconds(9))
      shop.recorder.record("goes on")
      if fails { throw Fault("late") }
    }
    let task = shop.start(stubborn.timeout(.seconds(5), clock: shop.clock))
    try await shop.clock.advance(by: .seconds(5), whenSleeping: 2)
    await #expect(throws: TimedOut(limit: .seconds(5))) { try await task.value }
    #expect(shop.events == ["goes on", "over"])
  }

  @Test("it bounds the whole run, retries and their delays included")
  func bounds() async throws {
    let operation = shop.instant("a", fault: "no")
      .retry(.constant(.seconds(2)), clock: shop.clock).timeout(.seconds(5), clock: shop.clock)
    let task = Task { try await operation.run() }
    for _ in 0..<2 { try await shop.clock.advance(by: .seconds(2), whenSleeping: 2) }
    try await shop.clock.advance(by: .seconds(1), whenSleeping: 2)
    await #expect(throws: TimedOut.self) { try await task.value }
    #expect(shop.events == ["a", "a", "a"])
  }

  @Test("the timer starts first: without any time the operation never starts", arguments: [0, -1])
  func noTime(limit: Int) async throws {
    let operation = shop.instant("a").timeout(.seconds(limit), clock: shop.clock)
    await #expect(throws: TimedOut(limit: .seconds(limit))) { try await operation.run() }
    #expect(shop.events.isEmpty)
  }

  @Test("cancelled, it throws what the operation throws, not TimedOut")
  func cancellation() async throws {
    let result = try await shop.cancel(
      shop.work("a", seconds: 9).timeout(.seconds(5), clock: shop.clock), whenSleeping: 2)
    #expect(result.isCancellation)
    #expect(shop.clock.sleepers == 0)
  }

  @Test("cancelled too late for the operation, which completes, it completes")
  func cancellationTooLate() async throws {
    let deaf = Completable { [shop] in try? await shop.clock.sleep(for: .seconds(1)) }
    let result = try await shop.cancel(
      deaf.timeout(.seconds(5), clock: shop.clock), whenSleeping: 2)
    #expect(throws: Never.self) { try result.get() }
  }
}
