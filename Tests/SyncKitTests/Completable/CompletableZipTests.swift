import SyncKit
import Synchronization
import TestSupport
import Testing

@Suite("Completable.zip", .timeLimit(.minutes(1)))
struct CompletableZipTests {
  let shop = Workshop()

  @Test("of nothing: completes")
  func nothing() async throws {
    try await Completable.zip().run()
    try await Completable.zip([]).run()
    try await Completable.zip([], maxConcurrent: 4).run()
  }

  @Test("all run at once, and it completes when all have")
  func together() async throws {
    let task = shop.start(
      .zip(shop.work("a", seconds: 3), shop.work("b", seconds: 1), shop.work("c", seconds: 2)))
    try await shop.clock.waitForSleepers(3)
    #expect(Set(shop.events) == ["a starts", "b starts", "c starts"])
    while shop.clock.sleepers > 0 { try await shop.clock.advanceToNextDeadline() }
    try await task.value
    #expect(Set(shop.events[3...]) == ["a ends", "b ends", "c ends", "over"])
    #expect(shop.events.last == "over")
    #expect(shop.clock.now.offset == .seconds(3))
  }

  @Test("the first error wins and cancels the rest")
  func firstError() async throws {
    let task = shop.start(
      .zip(
        shop.work("a", seconds: 9), shop.work("b", seconds: 2, fault: "late"),
        shop.work("c", seconds: 1, fault: "first")))
    try await shop.clock.advance(by: .seconds(1), whenSleeping: 3)
    let result = await task.result
    #expect(result.fault == Fault("first"))
    #expect(Set(shop.events.suffix(3).dropLast()) == ["a is cancelled", "b is cancelled"])
  }

  @Test("an error is heard after every sibling has returned")
  func errorWaits() async throws {
    let gate = DeafGate()
    let deaf = Completable { [shop] in
      try? await shop.clock.sleep(for: .seconds(9))
      await gate.wait()
      shop.recorder.record("deaf returns")
    }
    let task = shop.start(.zip(deaf, shop.work("a", fault: "no")))
    try await shop.clock.advance(by: .seconds(1), whenSleeping: 2)
    gate.open()
    let result = await task.result
    #expect(result.fault == Fault("no"))
    #expect(shop.events.suffix(2) == ["deaf returns", "over"])
  }

  @Test("cancelling it cancels all", arguments: [3, Int.max])
  func cancellation(maxConcurrent: Int) async throws {
    let operations = (0..<3).map { shop.work("\($0)") }
    let result = try await shop.cancel(
      .zip(operations, maxConcurrent: maxConcurrent), whenSleeping: 3)
    #expect(result.isCancellation)
    #expect(
      Set(shop.events[3...]) == ["0 is cancelled", "1 is cancelled", "2 is cancelled", "over"])
  }

  @Test("in a task that is cancelled already, nothing starts", arguments: [1, 3, Int.max])
  func cancelledBefore(maxConcurrent: Int) async throws {
    let operations = (0..<3).map { shop.instant("\($0)") }
    let result = await shop.runCancelled(.zip(operations, maxConcurrent: maxConcurrent))
    #expect(result.isCancellation)
    #expect(shop.events.isEmpty)
  }

  @Test("at most so many run at a time, first in, first out", arguments: [1, 2, 3, 7])
  func bounded(limit: Int) async throws {
    let task = shop.start(.zip((0..<7).map { shop.work("\($0)") }, maxConcurrent: limit))
    var left = 7
    var started: Set<String> = []
    while left > 0 {
      let running = min(limit, left)
      try await shop.clock.waitForSleepers(running)
      #expect(shop.clock.sleepers == running)
      started.formUnion((7 - left..<7 - left + running).map { "\($0) starts" })
      #expect(Set(shop.events.filter { $0.hasSuffix("starts") }) == started)
      try await shop.clock.advance(by: .seconds(1), whenSleeping: running)
      left -= running
    }
    try await task.value
  }

  @Test("a slot that becomes free is taken at once")
  func slots() async throws {
    let task = shop.start(
      .zip(
        [shop.work("a", seconds: 9), shop.work("b"), shop.work("c"), shop.work("d")],
        maxConcurrent: 2))
    for name in ["b", "c", "d"] {
      try await shop.clock.waitForSleepers(2)
      #expect(shop.events.contains("\(name) starts"))
      try await shop.clock.advance(by: .seconds(1), whenSleeping: 2)
    }
    try await shop.clock.advance(by: .seconds(9))
    try await task.value
  }

  @Test("after the first error, what waits for a slot never starts")
  func errorStopsTheQueue() async throws {
    let task = shop.start(
      .zip(
        [shop.work("a", fault: "no"), shop.work("b", seconds: 9), shop.work("c"), shop.work("d")],
        maxConcurrent: 2))
    try await shop.clock.advance(by: .seconds(1), whenSleeping: 2)
    let result = await task.result
    #expect(result.fault == Fault("no"))
    #expect(!shop.events.contains("c starts") && !shop.events.contains("d starts"))
  }

  @Test("after the first error nothing is pulled any more, even by a sibling that goes on")
  func errorStopsThePulls() async throws {
    let pulls = Recorder()
    let operation = Completable.zip(maxConcurrent: 2) { [shop] in
      (0..<9).lazy.map { index in
        pulls.record("\(index)")
        if index == 0 { return shop.work("a", fault: "no") }
        return Completable { try? await shop.clock.sleep(for: .seconds(9)) }
      }
    }
    let task = shop.start(operation)
    try await shop.clock.advance(by: .seconds(1), whenSleeping: 2)
    let result = await task.result
    #expect(result.fault == Fault("no"))
    #expect(pulls.events == ["0", "1"])
  }

  @Test("cancelled, what waits for a slot never starts")
  func cancellationStopsTheQueue() async throws {
    let operations = (0..<5).map { shop.work("\($0)") }
    let result = try await shop.cancel(.zip(operations, maxConcurrent: 2), whenSleeping: 2)
    #expect(result.isCancellation)
    #expect(shop.events.filter { $0.hasSuffix("starts") }.count == 2)
  }

  @Test("a limit below 1 counts as 1", arguments: [0, -1, Int.min])
  func lowestLimit(limit: Int) async throws {
    let operations = (0..<3).map { shop.instant("\($0)") }
    try await Completable.zip(operations, maxConcurrent: limit).run()
    #expect(shop.events == ["0", "1", "2"])
  }

  @Test("a sequence that is made for each run is pulled as slots become free")
  func pulled() async throws {
    let pulls = Recorder()
    let operation = Completable.zip(maxConcurrent: 2) { [shop] in
      (0..<1_000_000).lazy.map { index in
        pulls.record("\(index)")
        return shop.work("\(index)", fault: index == 3 ? "no" : nil)
      }
    }
    let task = shop.start(operation)
    try await shop.clock.advance(by: .seconds(1), whenSleeping: 2)
    try await shop.clock.waitForSleepers(2)
    #expect(pulls.events == ["0", "1", "2", "3"])
    try await shop.clock.advance(by: .seconds(1), whenSleeping: 2)
    let result = await task.result
    #expect(result.fault == Fault("no"))
    #expect(pulls.events.count <= 5)
  }
}
