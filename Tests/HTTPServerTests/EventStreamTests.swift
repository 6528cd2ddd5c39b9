import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Event streams", .timeLimit(.minutes(3)))
struct EventStreamTests {
  @Test("an event reaches those who follow its topic, and holds no thread until it does")
  func events() async throws {
    // More followers than there are threads.
    let serving = try Serving(followers: 20)
    let followers = try await times(10) { _ in try await serving.follower() }
    let other = try await serving.follower("other")
    serving.feed.publish(EventText.event("e", id: "1", data: "one\ntwo"), to: "events")
    for follower in followers {
      let text = try await follower.read(until: "two\n\n")
      #expect(text.contains("id: 1\nevent: e\ndata: one\ndata: two\n\n"))
    }
    serving.feed.publish(EventText.event("e", data: "x"), to: "other")
    #expect(!(try await other.read(until: "data: x\n\n")).contains("one"))
    let client = try serving.client()
    client.request("GET", "/now")
    #expect(try await client.readToEnd().hasPrefix("HTTP/1.1 200"))
  }

  @Test("events that come in quick succession, from many threads, all arrive and in order")
  func races() async throws {
    let serving = try Serving()
    let followers = try await times(4) { _ in try await serving.follower() }
    let count = 3000
    async let publishing: Void = Task.detached {
      for number in 1...count {
        serving.feed.publish(Array("n\(number);".utf8), to: "events")
        if number.isMultiple(of: 50) { await Task.yield() }
      }
      serving.feed.publish(Array("end;".utf8), to: "events")
    }.value
    var texts: [String] = []
    for follower in followers { texts.append(try await follower.read(until: "end;")) }
    await publishing
    for text in texts {
      let numbers = text.split(whereSeparator: { ";\r\n".contains($0) })
        .filter { $0.hasPrefix("n") }.compactMap { Int($0.dropFirst()) }
      #expect(numbers == numbers.sorted())
      #expect(Set(numbers).count == numbers.count)
      // A slow one may have lost the oldest, and was told.
      #expect(numbers.count == count || text.contains("events were lost"))
    }
  }

  @Test("a follower that reads slowly loses the oldest, is told how many, and gets the newest")
  func slow() async throws {
    let serving = try Serving()
    let follower = try await serving.follower("small")
    let large = String(repeating: "x", count: 100_000)
    for number in 1...60 {
      serving.feed.publish(EventText.event("e", id: "\(number)", data: large), to: "small")
    }
    serving.feed.publish(EventText.event("e", id: "61", data: "end"), to: "small")
    let text = try await follower.read(until: "data: end\n\n")
    #expect(text.contains(": lost "))
    let ids = text.utf8.split(separator: UInt8(ascii: "\n")).map { Substring($0) }
      .filter { $0.hasPrefix("id: ") }.compactMap { Int($0.dropFirst(4)) }
    #expect(ids == ids.sorted())
    #expect(ids.last == 61)
    #expect(ids.count < 61)
  }

  @Test("one more than may follow is told to come back; one that leaves makes room")
  func bounded() async throws {
    let clock = TestClock()
    let serving = try Serving(followers: 2, clock: clock)
    let first = try await serving.follower()
    let second = try await serving.follower()
    let third = try serving.client()
    third.request("GET", "/events")
    let refusal = try await third.readToEnd()
    #expect(refusal.hasPrefix("HTTP/1.1 503"))
    #expect(refusal.contains("Retry-After: 30"))
    first.leave()
    // The heartbeat finds out that it is gone; the first one may still be taken by the system.
    let isFound = try await eventually {
      try await clock.advance(by: .seconds(20), whenSleeping: 0)
      return serving.feed.count == 1
    }
    #expect(isFound)
    _ = try await serving.follower()
    #expect(try await second.read(until: ": \n\n").contains(": \n\n"))
  }

  @Test("heartbeats come from one timer, and from none when nobody follows")
  func heartbeats() async throws {
    let clock = TestClock()
    let serving = try Serving(clock: clock)
    #expect(clock.sleepers == 0)
    let followers = try await times(3) { _ in try await serving.follower() }
    try await clock.waitForSleepers(1)
    #expect(clock.sleepers == 1)
    try await clock.advance(by: .seconds(20))
    for follower in followers { _ = try await follower.read(until: ": \n\n") }
    for follower in followers { follower.leave() }
    let isQuiet = await eventually {
      try? await clock.advance(by: .seconds(20), whenSleeping: 0)
      return serving.feed.count == 0 && clock.sleepers == 0
    }
    #expect(isQuiet)
  }

  @Test("a connection that waits for events is not idle; one that waits for nothing is")
  func idle() async throws {
    let serving = try Serving(limits: DaemonLimits(idleSeconds: 1))
    let follower = try await serving.follower(connection: "keep-alive")
    for _ in 0..<2 {
      let idler = try serving.client()
      idler.request("GET", "/now", ["Connection": "keep-alive"])
      // Ends only because the server closes it for idleness.
      #expect(try await idler.readToEnd().hasPrefix("HTTP/1.1 200"))
    }
    serving.feed.publish(EventText.event("e", data: "after"), to: "events")
    _ = try await follower.read(until: "data: after\n\n")
  }

  @Test("a follower that stays and reads nothing is let go of")
  func stuck() async throws {
    let serving = try Serving(limits: DaemonLimits(idleSeconds: 1))
    let follower = try await serving.follower("small")
    let large = String(repeating: "x", count: 500_000)
    for _ in 0..<20 { serving.feed.publish(EventText.event("e", data: large), to: "small") }
    #expect(await eventually { serving.feed.count == 0 })
    follower.leave()
  }

  @Test("stopping ends every stream, also while events come")
  func stop() async throws {
    for round in 0..<5 {
      let serving = try Serving()
      let followers = try await times(6) { _ in try await serving.follower() }
      async let publishing: Void = Task.detached {
        for _ in 0..<(round * 200) { serving.feed.publish([0x78], to: "events") }
      }.value
      serving.stop()
      for follower in followers { _ = try await follower.readToEnd() }
      await publishing
      #expect(serving.feed.count == 0)
      #expect(!serving.folder.exists("s"))
    }
  }

  @Test("HEAD follows nothing")
  func head() async throws {
    let serving = try Serving()
    let client = try serving.client()
    client.request("HEAD", "/events")
    #expect(try await client.readToEnd().contains("text/event-stream"))
    #expect(await eventually { serving.feed.count == 0 })
  }
}

@Suite("Answers that take their time", .timeLimit(.minutes(3)))
struct LaterAnswerTests {
  @Test("many wait at once without a thread each, and each gets its own answer")
  func many() async throws {
    let serving = try Serving()
    let clients = try (0..<12).map { number in
      let client = try serving.client()
      client.request("POST", "/later", body: "body \(number)")
      return client
    }
    let quick = try serving.client()
    quick.request("GET", "/now")
    #expect(try await quick.readToEnd().hasSuffix("n"))
    serving.latch.open()
    for (number, client) in clients.enumerated() {
      #expect(try await client.readToEnd().hasSuffix("body \(number)"))
    }
    #expect(serving.counted.withLock { $0.count } == 13)
  }

  @Test("one that is ready at once is sent at once")
  func atOnce() async throws {
    let serving = try Serving()
    serving.latch.open()
    for _ in 0..<200 {
      let client = try serving.client()
      client.request("POST", "/later", body: "x")
      #expect(try await client.readToEnd().hasSuffix("x"))
    }
  }

  @Test("events may be what comes later")
  func events() async throws {
    let serving = try Serving()
    let follower = try await serving.follower("later-events")
    serving.feed.publish(EventText.event("e", data: "x"), to: "later-events")
    _ = try await follower.read(until: "data: x\n\n")
  }

  @Test("stopping cancels what is worked on, and closes the connection")
  func stop() async throws {
    let serving = try Serving()
    let client = try serving.client()
    client.request("POST", "/later", body: "x")
    // Admitted after it, and answered: the one before has been taken in.
    let quick = try serving.client()
    quick.request("GET", "/now")
    _ = try await quick.readToEnd()
    serving.stop()
    #expect(try await client.readToEnd().contains("x") == false)
    serving.latch.open()
  }

  @Test("a body over the limit is refused, whoever answers")
  func tooLarge() async throws {
    let serving = try Serving()
    let client = try serving.client()
    client.request("POST", "/later", body: String(repeating: "x", count: 101))
    #expect(try await client.readToEnd().hasPrefix("HTTP/1.1 413"))
  }
}
