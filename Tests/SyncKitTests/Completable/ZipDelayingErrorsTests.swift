import SyncKit
import TestSupport
import Testing

@Suite("Completable.zipDelayingErrors", .timeLimit(.minutes(1)))
struct ZipDelayingErrorsTests {
  let shop = Workshop()

  private func failures(
    of operation: Completable
  ) async throws -> [CompositeError.Failure] {
    try #require(await #expect(throws: CompositeError.self) { try await operation.run() }).failures
  }

  @Test("of nothing: completes")
  func nothing() async throws {
    try await Completable.zipDelayingErrors([]).run()
    try await Completable.zipDelayingErrors([], maxConcurrent: 8).run()
  }

  @Test("completes when none fails", arguments: [1, 2, 100, Int.max])
  func success(maxConcurrent: Int) async throws {
    try await Completable.zipDelayingErrors(
      (0..<20).map { shop.instant("\($0)") }, maxConcurrent: maxConcurrent
    ).run()
    #expect(Set(shop.events) == Set((0..<20).map { "\($0)" }))
    #expect(shop.events.count == 20)
  }

  @Test("runs all, whatever fails; every failure in the order of the arguments")
  func allFailures() async throws {
    let operations = [
      shop.work("a", seconds: 3, fault: "a"), shop.work("b", seconds: 2),
      shop.work("c", seconds: 1, fault: "c"), shop.work("d", seconds: 4),
    ]
    let task = shop.start(.zipDelayingErrors(operations))
    for sleepers in [4, 3, 2, 1] {
      try await shop.clock.advance(by: .seconds(1), whenSleeping: sleepers)
    }
    let error = try #require(
      await #expect(throws: CompositeError.self) { try await task.value })
    #expect(error.failures.map(\.index) == [0, 2])
    #expect(error.errors as? [Fault] == [Fault("a"), Fault("c")])
    #expect(shop.events.filter { $0.hasSuffix("ends") }.count == 4)
  }

  @Test("one that fails never cancels another", arguments: [1, 3, Int.max])
  func independence(maxConcurrent: Int) async throws {
    let operations = (0..<9).map { shop.instant("\($0)", fault: $0 % 2 == 0 ? "\($0)" : nil) }
    let failures = try await failures(
      of: .zipDelayingErrors(operations, maxConcurrent: maxConcurrent))
    #expect(failures.map(\.index) == [0, 2, 4, 6, 8])
    #expect(shop.events.count == 9)
  }

  @Test("a CancellationError from one of them is a failure like any other")
  func strayCancellation() async throws {
    let failures = try await failures(
      of: .zipDelayingErrors([.failed(CancellationError()), shop.instant("b")], maxConcurrent: 1))
    #expect(failures.count == 1)
    #expect(failures.first?.error is CancellationError)
    #expect(shop.events == ["b"])
  }

  @Test("at most so many run at a time")
  func bounded() async throws {
    let task = shop.start(
      .zipDelayingErrors((0..<6).map { shop.work("\($0)", fault: "\($0)") }, maxConcurrent: 2))
    for _ in 0..<3 {
      try await shop.clock.waitForSleepers(2)
      #expect(shop.clock.sleepers == 2)
      try await shop.clock.advance(by: .seconds(1), whenSleeping: 2)
    }
    let error = try #require(
      await #expect(throws: CompositeError.self) { try await task.value })
    #expect(error.failures.map(\.index) == Array(0..<6))
  }

  @Test("cancelling it cancels those that run and starts no more", arguments: [2, Int.max])
  func cancellation(maxConcurrent: Int) async throws {
    let count = min(maxConcurrent, 5)
    let operations = (0..<5).map { shop.work("\($0)") }
    let result = try await shop.cancel(
      .zipDelayingErrors(operations, maxConcurrent: maxConcurrent), whenSleeping: count)
    #expect(result.isCancellation)
    #expect(shop.events.filter { $0.hasSuffix("starts") }.count == count)
    #expect(shop.events.filter { $0.hasSuffix("is cancelled") }.count == count)
  }

  @Test("cancelled, it throws CancellationError even if some had failed before")
  func cancellationAfterFailure() async throws {
    let operations = [shop.instant("a", fault: "no"), shop.work("b"), shop.instant("c")]
    let result = try await shop.cancel(.zipDelayingErrors(operations, maxConcurrent: 1))
    #expect(result.isCancellation)
    #expect(!shop.events.contains("c"))
  }

  @Test("in a task that is cancelled already, nothing starts", arguments: [2, Int.max])
  func cancelledBefore(maxConcurrent: Int) async throws {
    let operations = (0..<5).map { shop.instant("\($0)") }
    let result = await shop.runCancelled(
      .zipDelayingErrors(operations, maxConcurrent: maxConcurrent))
    #expect(result.isCancellation)
    #expect(shop.events.isEmpty)
  }

  @Test("cancelled after all have completed, it has completed")
  func cancellationTooLate() async throws {
    let deaf = Completable { [shop] in try? await shop.clock.sleep(for: .seconds(1)) }
    let result = try await shop.cancel(
      .zipDelayingErrors([deaf, deaf], maxConcurrent: 2), whenSleeping: 2)
    #expect(throws: Never.self) { try result.get() }
  }

  @Test("a plan without end is pulled only as slots become free")
  func pulledLazily() async throws {
    let pulls = Recorder()
    let operation = Completable.zipDelayingErrors(maxConcurrent: 8) { [shop] in
      sequence(first: 0) { $0 + 1 }.lazy.map { index in
        pulls.record("\(index)")
        return shop.work("\(index)")
      }
    }
    let task = shop.start(operation)
    for wave in 1...5 {
      try await shop.clock.waitForSleepers(8)
      #expect(pulls.events == (0..<8 * wave).map { "\($0)" })
      if wave < 5 { try await shop.clock.advance(by: .seconds(1), whenSleeping: 8) }
    }
    task.cancel()
    let result = await task.result
    #expect(result.isCancellation)
    #expect(pulls.events.count <= 48)
  }

  @Test("each run makes the sequence anew")
  func pulledAgain() async throws {
    let operation = Completable.zipDelayingErrors(maxConcurrent: 1) { [shop] in
      (0..<3).lazy.map { shop.instant("\($0)") }
    }
    try await operation.run()
    try await operation.run()
    #expect(shop.events == ["0", "1", "2", "0", "1", "2"])
  }

  @Test("a hundred thousand operations, each exactly once")
  func many() async throws {
    let failing = Completable.zipDelayingErrors(maxConcurrent: 8) {
      (0..<100_000).lazy.map { index in
        index % 10_000 == 7 ? .failed(Fault("\(index)")) : .completed
      }
    }
    let failures = try await failures(of: failing)
    #expect(failures.map(\.index) == (0..<10).map { $0 * 10_000 + 7 })
  }

  @Test("the error's description names the first failure and how many more there are")
  func description() {
    let failures = [2, 0, 1].map { CompositeError.Failure(index: $0, error: Fault("f\($0)")) }
    #expect(CompositeError(failures: failures).description == "f0 (and 2 more)")
    #expect(CompositeError(failures: [failures[0]]).description == "f2")
  }
}
