import SyncKit
import TestSupport
import Testing

@Suite("Completable", .timeLimit(.minutes(1)))
struct CompletableTests {
  let shop = Workshop()

  @Test("building one starts nothing")
  func lazy() {
    let built: [Completable] = [
      shop.instant("a"), .zip(shop.instant("b")), .concat(shop.instant("c")),
      .zipDelayingErrors([shop.instant("d")]), shop.instant("e").andThen(shop.instant("f")),
      shop.instant("g").retry(.constant(), clock: shop.clock),
      shop.instant("h").timeout(.seconds(1), clock: shop.clock),
      .create { [shop] _ in
        shop.recorder.record("i")
        return {}
      },
    ]
    #expect(built.count == 8)
    #expect(shop.events.isEmpty)
  }

  @Test("each run does the work again")
  func again() async throws {
    let operation = Completable.zip(shop.instant("a")).andThen(shop.instant("b"))
    try await operation.run()
    try await operation.run()
    #expect(shop.events == ["a", "b", "a", "b"])
  }

  @Test("completed completes, failed fails")
  func constants() async throws {
    try await Completable.completed.run()
    await #expect(throws: Fault("no")) { try await Completable.failed(Fault("no")).run() }
  }
}

@Suite("Completable: one after the other", .timeLimit(.minutes(1)))
struct CompletableConcatTests {
  let shop = Workshop()

  /// Every spelling of "a, then b".
  private func spellings(_ a: Completable, _ b: Completable) -> [(String, Completable)] {
    [
      ("andThen", a.andThen(b)), ("concat", a.concat(b)), ("static concat", .concat(a, b)),
      ("concat of a sequence", .concat([a, b])), ("zip of one", .zip([a, b], maxConcurrent: 1)),
      ("andThen a single", a.andThen(Single { try await b.run() }).asCompletable),
    ]
  }

  @Test("the second starts when the first has completed")
  func order() async throws {
    for (name, operation) in spellings(shop.work("a"), shop.work("b")) {
      let before = shop.events.count
      let task = shop.start(operation)
      try await shop.clock.advance(by: .seconds(1))
      try await shop.clock.advance(by: .seconds(1))
      try await task.value
      #expect(
        shop.events[before...] == ["a starts", "a ends", "b starts", "b ends", "over"], "\(name)")
    }
  }

  @Test("the first error ends it, and what follows never starts")
  func failure() async throws {
    for (name, operation) in spellings(shop.instant("a", fault: "no"), shop.instant("b")) {
      await #expect(throws: Fault("no"), "\(name)") { try await operation.run() }
    }
    #expect(shop.recorder.count(of: "b") == 0)
  }

  @Test("cancelled during the first, the second never starts")
  func cancellation() async throws {
    for (name, operation) in spellings(shop.work("a"), shop.instant("b")) {
      let result = try await shop.cancel(operation)
      #expect(result.isCancellation, "\(name)")
    }
    #expect(shop.recorder.count(of: "b") == 0)
  }

  @Test("cancelled while the first is deaf to it, the second never starts")
  func deafFirst() async throws {
    let deaf = Completable { [shop] in
      _ = try? await shop.clock.sleep(for: .seconds(1))
    }
    for (name, operation) in spellings(deaf, shop.instant("b")) {
      let result = try await shop.cancel(operation)
      #expect(result.isCancellation, "\(name)")
    }
    #expect(shop.recorder.count(of: "b") == 0)
  }

  @Test("of nothing: completes")
  func nothing() async throws {
    try await Completable.concat().run()
    try await Completable.concat([]).run()
  }
}
