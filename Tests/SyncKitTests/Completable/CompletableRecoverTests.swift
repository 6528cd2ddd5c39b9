import SyncKit
import TestSupport
import Testing

@Suite("Completable: catch and onErrorComplete", .timeLimit(.minutes(1)))
struct CompletableRecoverTests {
  let shop = Workshop()

  @Test("catch replaces what failed")
  func replaces() async throws {
    let operation = shop.instant("a", fault: "no").catch { [shop] error in
      shop.recorder.record("caught \(error)")
      return shop.instant("b")
    }
    try await operation.run()
    #expect(shop.events == ["a", "caught no", "b"])
  }

  @Test("catch does not run after success")
  func notAfterSuccess() async throws {
    try await shop.instant("a").catch { [shop] _ in shop.instant("b") }.run()
    #expect(shop.events == ["a"])
  }

  @Test("a replacement that fails fails the whole; so does a handler that throws")
  func failingReplacement() async throws {
    let first = Completable.failed(Fault("1"))
    await #expect(throws: Fault("2")) { try await first.catch { _ in .failed(Fault("2")) }.run() }
    await #expect(throws: Fault("3")) { try await first.catch { _ in throw Fault("3") }.run() }
  }

  @Test("neither sees cancellation, whatever error it arrives as")
  func cancellation() async throws {
    let disguised = Completable { [shop] in
      do {
        try await shop.clock.sleep(for: .seconds(1))
      } catch {
        throw Fault("closed")
      }
    }
    let handler: @Sendable (any Error) -> Completable = { [shop] _ in shop.instant("caught") }
    for operation in [shop.work("a"), disguised] {
      let caught = try await shop.cancel(operation.catch(handler))
      let completed = try await shop.cancel(operation.onErrorComplete())
      for result in [caught, completed] {
        #expect(result.isCancellation || result.fault == Fault("closed"))
      }
    }
    #expect(!shop.events.contains("caught"))
  }

  @Test("a CancellationError in a task that is not cancelled is caught")
  func strayCancellation() async throws {
    let stray = Completable.failed(CancellationError())
    try await stray.catch { [shop] _ in shop.instant("caught") }.run()
    try await stray.onErrorComplete().run()
    #expect(shop.events == ["caught"])
  }

  @Test("onErrorComplete completes where the predicate says so")
  func predicate() async throws {
    let operation = Completable.failed(Fault("no"))
    try await operation.onErrorComplete().run()
    try await operation.onErrorComplete { $0 as? Fault == Fault("no") }.run()
    await #expect(throws: Fault("no")) {
      try await operation.onErrorComplete { $0 as? Fault == Fault("yes") }.run()
    }
  }
}

@Suite("Completable.do", .timeLimit(.minutes(1)))
struct CompletableDoTests {
  let shop = Workshop()

  private func observed(_ operation: Completable, failing: String? = nil) -> Completable {
    operation.do(
      onSubscribe: { [shop] in shop.recorder.record("subscribed") },
      onCompleted: { [shop] in
        shop.recorder.record("completed")
        if let failing { throw Fault(failing) }
      },
      onError: { [shop] in shop.recorder.record("error \($0)") },
      onDispose: { [shop] in shop.recorder.record("disposed") })
  }

  @Test("success: subscribed, completed, disposed")
  func success() async throws {
    try await observed(shop.instant("work")).run()
    #expect(shop.events == ["subscribed", "work", "completed", "disposed"])
  }

  @Test("failure: subscribed, error, disposed")
  func failure() async throws {
    await #expect(throws: Fault("no")) {
      try await observed(shop.instant("work", fault: "no")).run()
    }
    #expect(shop.events == ["subscribed", "work", "error no", "disposed"])
  }

  @Test("a throw in onCompleted becomes the error")
  func throwingObserver() async throws {
    await #expect(throws: Fault("late")) {
      try await observed(shop.instant("work"), failing: "late").run()
    }
    #expect(shop.events == ["subscribed", "work", "completed", "disposed"])
  }

  @Test("cancellation: subscribed, disposed; it is not an error")
  func cancellation() async throws {
    let result = try await shop.cancel(observed(shop.work("a")))
    #expect(result.isCancellation)
    #expect(shop.events == ["subscribed", "a starts", "a is cancelled", "disposed", "over"])
  }

  @Test("once for each run")
  func again() async throws {
    let operation = observed(.completed)
    try await operation.run()
    try await operation.run()
    #expect(shop.recorder.count(of: "disposed") == 2)
  }

  @Test("what is not asked for is left out")
  func defaults() async throws {
    try await shop.instant("work").do().run()
    await #expect(throws: Fault("no")) { try await Completable.failed(Fault("no")).do().run() }
  }
}
