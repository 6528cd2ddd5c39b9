import Testing

@testable import SyncKit

/// What every implementation promises. Netlink is left out where the kernel refuses namespaces.
@Suite("The contract of Connectivity", .timeLimit(.minutes(2)))
struct ConnectivityContractTests {
  typealias Implementation = ConnectivityUnderTest.Implementation

  private static var implementations: [Implementation] {
    get async { await Implementation.available() }
  }

  @Test(
    "the first element is the state now, for each follower",
    arguments: await Self.implementations)
  func firstElement(implementation: Implementation) async throws {
    let network = try await implementation.make()
    var first = try await network.follow().makeAsyncIterator()
    let up = try #require(await first.next())
    #expect(up.isUp)
    try await network.set(false)
    var second = try await network.follow().makeAsyncIterator()
    #expect(await second.next()?.isUp == false)
    #expect(await first.next()?.isUp == false)
  }

  @Test("each change is one element, and none comes twice", arguments: await Self.implementations)
  func oneElementForEachChange(implementation: Implementation) async throws {
    let network = try await implementation.make()
    var paths = try await network.follow().makeAsyncIterator()
    var last = try #require(await paths.next())
    for turn in 0..<50 {
      let isUp = turn % 2 == 1
      try await network.set(isUp)
      let path = try #require(await paths.next())
      #expect(path.isUp == isUp && path != last, "turn \(turn)")
      last = path
    }
  }

  @Test("saying what is known already is no change", arguments: await Self.implementations)
  func nothingNew(implementation: Implementation) async throws {
    let network = try await implementation.make()
    var paths = try await network.follow().makeAsyncIterator()
    _ = await paths.next()
    try await network.set(true)
    try await network.set(true)
    try await network.set(false)
    #expect(await paths.next()?.isUp == false)
  }

  @Test("another network has another signature", arguments: await Self.implementations)
  func moves(implementation: Implementation) async throws {
    let network = try await implementation.make()
    var paths = try await network.follow().makeAsyncIterator()
    var seen = [try #require(await paths.next())]
    for _ in 0..<3 {
      try await network.move()
      seen.append(try #require(await paths.next()))
    }
    #expect(Set(seen.map(\.signature)).count == 4)
    #expect(seen.map(\.isUp) == [true, true, true, true])
  }

  @Test(
    "cancelling the task ends the iteration and gives back what it held",
    arguments: await Self.implementations)
  func cancellation(implementation: Implementation) async throws {
    let network = try await implementation.make()
    let paths = try await network.follow()
    let began = AsyncStream<Void>.makeStream()
    let task = Task {
      for await _ in paths { began.continuation.yield() }
    }
    for await _ in began.stream { break }
    task.cancel()
    await task.value
    while try await network.held() > 0 { await Task.yield() }
  }

  @Test(
    "dropping the stream, followed or not, gives back what it held",
    arguments: await Self.implementations)
  func dropped(implementation: Implementation) async throws {
    let network = try await implementation.make()
    _ = try await network.follow()
    for await _ in try await network.follow() { break }
    while try await network.held() > 0 { await Task.yield() }
  }
}
