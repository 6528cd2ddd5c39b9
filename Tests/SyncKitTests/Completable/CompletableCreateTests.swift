import SyncKit
import Synchronization
import TestSupport
import Testing

@Suite("Completable.create", .timeLimit(.minutes(1)))
struct CompletableCreateTests {
  let shop = Workshop()

  /// The callback world: keeps the observer for later, and says when it has one.
  private final class Source: Sendable {
    typealias Observer = @Sendable (CompletableEvent) -> Void
    private let observer = Mutex<Observer?>(nil)
    let subscribed = DeafGate()

    func keep(_ observer: @escaping Observer) {
      self.observer.withLock { $0 = observer }
      subscribed.open()
    }

    func send(_ events: CompletableEvent...) {
      for event in events { observer.withLock { $0 }?(event) }
    }
  }

  private func operation(_ source: Source, first: CompletableEvent? = nil) -> Completable {
    .create { [shop] observer in
      shop.recorder.record("subscribed")
      if let first { observer(first) }
      source.keep(observer)
      return { shop.recorder.record("cleaned up") }
    }
  }

  @Test("an event that comes later ends it; the cleanup ran before")
  func later() async throws {
    let source = Source()
    let task = shop.start(operation(source))
    await source.subscribed.wait()
    source.send(.completed)
    try await task.value
    #expect(shop.events == ["subscribed", "cleaned up", "over"])
  }

  @Test("an event during the subscription ends it; the cleanup runs all the same")
  func atOnce() async throws {
    try await operation(Source(), first: .completed).run()
    await #expect(throws: Fault("no")) {
      try await operation(Source(), first: .error(Fault("no"))).run()
    }
    #expect(shop.events == ["subscribed", "cleaned up", "subscribed", "cleaned up"])
  }

  @Test("the first event wins; the cleanup runs once")
  func first() async throws {
    let source = Source()
    let task = shop.start(operation(source))
    await source.subscribed.wait()
    source.send(.error(Fault("first")), .completed, .error(Fault("late")))
    await #expect(throws: Fault("first")) { try await task.value }
    source.send(.completed)
    #expect(shop.recorder.count(of: "cleaned up") == 1)
  }

  @Test("cancellation ends it, the cleanup runs once, and later events are ignored")
  func cancellation() async throws {
    let source = Source()
    let task = shop.start(operation(source))
    await source.subscribed.wait()
    task.cancel()
    let result = await task.result
    #expect(result.isCancellation)
    source.send(.completed, .error(Fault("late")))
    #expect(shop.events == ["subscribed", "cleaned up", "over"])
  }

  @Test("a task that is cancelled beforehand never subscribes")
  func cancelledBefore() async throws {
    let result = await shop.runCancelled(operation(Source()))
    #expect(result.isCancellation)
    #expect(shop.events.isEmpty)
  }

  @Test("cancelled during the subscription, it is cleaned up")
  func cancelledMeanwhile() async throws {
    let operation = Completable.create { [shop] observer in
      withUnsafeCurrentTask { $0?.cancel() }
      observer(.completed)
      return { shop.recorder.record("cleaned up") }
    }
    let result = await Task { try await operation.run() }.result
    #expect(result.isCancellation)
    #expect(shop.events == ["cleaned up"])
  }

  @Test("of events from many threads and a cancellation, exactly one decides; one cleanup each")
  func race() async throws {
    for round in 0..<200 {
      let source = Source()
      let task = shop.start(operation(source))
      await source.subscribed.wait()
      await withTaskGroup { group in
        for _ in 0..<4 {
          group.addTask { source.send(.completed) }
          group.addTask { source.send(.error(Fault("no"))) }
        }
        group.addTask { task.cancel() }
      }
      _ = await task.result
      #expect(shop.recorder.count(of: "cleaned up") == round + 1)
    }
  }

  @Test("each run subscribes anew")
  func again() async throws {
    let operation = operation(Source(), first: .completed)
    try await operation.run()
    try await operation.run()
    #expect(shop.recorder.count(of: "subscribed") == 2)
  }
}
