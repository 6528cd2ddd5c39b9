import Synchronization
import TestSupport
import Testing

@testable import SyncKit

/// The rows of "writes", for one run.
@Suite("Writes that go wrong")
struct WriteFaultTests {
  @Test(
    "stored, but the reply lost: no duplicate, no conflict, nothing rewritten",
    arguments: [1, 3, 100], [SyncOptions.push, .both])
  func lostReply(batch: Int, options: SyncOptions) async throws {
    let rig = try await Rig(local: ["a", "b", "c"])
    rig.remote.behaviour.limits.writesPerRequest = batch
    rig.remote.behaviour.limits.concurrency = 1
    rig.remote.setFault { request, _ in
      request.writtenID?.string == "b" ? .lostReply : nil
    }
    #expect(try await rig.sync(options).outcome == .offline)
    rig.remote.setFault(nil)
    _ = try await rig.sync(options)
    #expect(rig.remote.writes.filter { $0.id.string == "b" }.count == 1)
    #expect(rig.remoteTitles == (try await rig.localTitles()))
    try await rig.expectAtRest(options)
  }

  @Test("an update whose reply is lost is not written again", arguments: Direction.allCases)
  func lostReplyOfUpdate(direction: Direction) async throws {
    let rig = try await Rig(local: ["a", "b"])
    _ = try await rig.sync(.push)
    try await rig.write("a", title: "edited")
    rig.remote.setFault { request, _ in request.writtenID == nil ? nil : .lostReply }
    _ = try await rig.sync(SyncOptions(direction: direction == .pull ? .push : direction))
    rig.remote.setFault(nil)
    rig.remote.clearLog()
    let report = try await rig.sync(SyncOptions(direction: direction))
    #expect(report.conflicts == 0)
    #expect(!report.wroteAnything)
    #expect(rig.remoteTitles["a"] == "edited")
    try await rig.expectAtRest(SyncOptions(direction: direction))
  }

  @Test(
    "stored, the reply lost, then edited here: no conflict, whatever the policy",
    arguments: ConflictPolicy.allCases)
  func lostReplyThenEdit(policy: ConflictPolicy) async throws {
    let options = SyncOptions(direction: .both, conflicts: policy)
    let rig = try await Rig(local: ["a", "b"])
    rig.remote.setFault { request, _ in request.writtenID == nil ? nil : .lostReply }
    #expect(try await rig.sync(options).outcome == .offline)
    rig.remote.setFault(nil)
    for id in rig.remote.projects.keys { try await rig.write(id.string, title: "edited since") }
    let report = try await rig.sync(options)
    #expect(report.outcome == .inSync && report.conflicts == 0)
    #expect(rig.remoteTitles.values.contains("edited since"))
    #expect(rig.remoteTitles == (try await rig.localTitles()))
    try await rig.expectAtRest(options)
  }

  @Test("stored, the reply lost, then deleted here: deleted there as well")
  func lostReplyThenDelete() async throws {
    let rig = try await Rig(local: ["a", "b"])
    rig.remote.setFault { request, _ in request.writtenID == nil ? nil : .lostReply }
    #expect(try await rig.sync(.both).outcome == .offline)
    rig.remote.setFault(nil)
    let stored = try #require(rig.remote.projects.keys.first)
    try await rig.remove(stored.string)
    #expect(try await rig.sync(.both).outcome == .inSync)
    #expect(rig.remoteTitles[stored.string] == nil)
    #expect(rig.remoteTitles == (try await rig.localTitles()))
    try await rig.expectAtRest(.both)
  }

  @Test(
    "one of 68 is refused: 67 are pushed, that one is set aside and tried when it changes",
    arguments: [SyncOptions.push, .both, .merge])
  func oneRefused(options: SyncOptions) async throws {
    let rig = try await Rig(local: (0..<68).map { "p\($0)" })
    rig.remote.setFault { request, _ in
      request.writtenID?.string == "p33" ? .refused(status: 422, message: "title too long") : nil
    }
    let report = try await rig.sync(options)
    #expect(report.outcome == .partial)
    #expect(report.remote.appended == 67)
    #expect(report.failed.count == 1)
    #expect(report.failed.first?.message == "title too long")
    try await rig.expectAtRest(options, outcome: .partial)

    try await rig.write("p33", title: "shorter")
    rig.remote.setFault(nil)
    let repaired = try await rig.sync(options)
    #expect(repaired.outcome == .inSync)
    #expect(repaired.remote.appended == 1)
    try await rig.expectAtRest(options)
  }

  @Test(
    "a record set aside is tried again when asked for, and leaves the list when it goes through")
  func retriesFailed() async throws {
    let rig = try await Rig(local: ["a", "b"])
    rig.remote.setFault { request, _ in
      request.writtenID?.string == "a" ? .refused(status: 422, message: "no") : nil
    }
    _ = try await rig.sync(.push)
    rig.remote.setFault(nil)
    #expect(try await rig.sync(.push).outcome == .partial)
    var options = SyncOptions.push
    options.retriesFailed = true
    #expect(try await rig.sync(options).outcome == .inSync)
    #expect(try await rig.store.status(remote: rig.remote.url).setAside.isEmpty)
    try await rig.expectAtRest(.push)
  }

  @Test(
    "412 for ever ends after three rounds with a report",
    arguments: [SyncOptions.push, .both, .merge])
  func preconditionForEver(options: SyncOptions) async throws {
    let rig = try await Rig(local: ["a", "b"])
    _ = try await rig.sync(options)
    try await rig.write("a", title: "edited")
    rig.remote.clearLog()
    rig.remote.setFault { request, _ in request.writtenID == nil ? nil : .preconditionFailed }
    let report = try await rig.sync(options)
    #expect(report.outcome == .partial)
    #expect(report.failed.map(\.id) == ["a"])
    #expect(rig.remote.writes.count <= 4)
    rig.remote.setFault(nil)
    _ = try await rig.sync(options)
    try await rig.expectAtRest(options)
  }

  @Test("another device's edit between the listing and our write is not overwritten unseen")
  func concurrentEdit() async throws {
    let rig = try await Rig(local: ["a"])
    _ = try await rig.sync(.both)
    try await rig.write("a", title: "mine")
    let done = Mutex(false)
    rig.remote.setPause { request in
      guard request.writtenID != nil, !done.withLock({ $0 }) else { return }
      done.withLock { $0 = true }
      rig.remote.put(try rig.project("a", title: "theirs", stamp: 5))
    }
    let report = try await rig.sync(.both)
    #expect(report.conflicts == 1)
    #expect(rig.remoteTitles["a"] == "mine")
    #expect(try await rig.store.historyTitles("a").contains("theirs"))
    try await rig.expectAtRest(.both)
  }

  @Test(
    "a record edited while its write is in flight is pushed again",
    arguments: [SyncOptions.push, .both, .merge])
  func editedInFlight(options: SyncOptions) async throws {
    let rig = try await Rig(local: ["a"])
    let done = Mutex(false)
    rig.remote.setPause { request in
      guard request.writtenID != nil, !done.withLock({ $0 }) else { return }
      done.withLock { $0 = true }
      try await rig.write("a", title: "edited meanwhile")
    }
    _ = try await rig.sync(options)
    #expect(try await rig.store.status(remote: rig.remote.url).pending == 1)
    let report = try await rig.sync(options)
    #expect(report.remote.updated == 1)
    #expect(rig.remoteTitles["a"] == "edited meanwhile")
    try await rig.expectAtRest(options)
  }

  @Test("created and deleted offline sends nothing", arguments: [SyncOptions.push, .both, .merge])
  func createdAndDeleted(options: SyncOptions) async throws {
    let rig = try await Rig(local: ["a"])
    _ = try await rig.sync(options)
    rig.remote.clearLog()
    try await rig.write("b")
    try await rig.remove("b")
    _ = try await rig.sync(options)
    #expect(rig.remote.writes.isEmpty)
    try await rig.expectAtRest(options)
  }

  @Test(
    "deleted and created again offline brings the new contents", arguments: [Direction.push, .both])
  func deletedAndCreated(direction: Direction) async throws {
    let rig = try await Rig(local: ["a", "b"])
    _ = try await rig.sync(SyncOptions(direction: direction))
    try await rig.remove("a")
    try await rig.write("a", title: "again")
    _ = try await rig.sync(SyncOptions(direction: direction))
    #expect(rig.remoteTitles["a"] == "again")
    try await rig.expectAtRest(SyncOptions(direction: direction))
  }

  @Test(
    "exactly as many changes as a batch holds ends", arguments: [9, 10, 11, 20],
    [SyncOptions.push, .both])
  func batchBoundary(count: Int, options: SyncOptions) async throws {
    let rig = try await Rig(local: (0..<count).map { "p\($0)" })
    rig.remote.behaviour.limits.writesPerRequest = 10
    #expect(try await rig.sync(options).remote.appended == count)
    try await rig.expectAtRest(options)
  }

  @Test("trouble after any request of a run that merges ends with the changes of both")
  func interruptedMerges() async throws {
    for lost in [true, false] {
      for cut in 1...10 {
        let ids = (0..<4).map { "p\($0)" }
        let rig = try await Rig(local: ids)
        rig.remote.behaviour.limits.concurrency = 2
        _ = try await rig.sync(.merge)
        for id in ids {
          try await rig.write(id, title: "mine")
          try await rig.theirs(id) { $0.body = "theirs" }
        }
        for round in 0..<3 {
          let start = rig.remote.log.count
          rig.remote.setFault { request, number in
            guard number > start + cut + round else { return nil }
            return request.writtenID == nil || !lost ? .offline : .lostReply
          }
          _ = try await rig.sync(.merge)
        }
        rig.remote.setFault(nil)
        _ = try await rig.sync(.merge)
        for project in try await rig.store.allProjects() + Array(rig.remote.projects.values) {
          #expect(project.title == "mine" && project.body == "theirs", "cut after \(cut)")
        }
        try await rig.expectAtRest(.merge)
      }
    }
  }

  @Test("trouble after any request, and again in the recovery, ends equal to the undisturbed run")
  func interruptedAnywhere() async throws {
    for direction in [Direction.push, .both] {
      for batch in [1, 4] {
        for cut in 1...12 {
          let rig = try await Rig(local: (0..<10).map { "p\($0)" }, remote: ["p1", "q1", "q2"])
          rig.remote.behaviour.limits.writesPerRequest = batch
          rig.remote.behaviour.limits.concurrency = 2
          for round in 0..<3 {
            let start = rig.remote.log.count
            rig.remote.setFault { request, number in
              guard number > start + cut + round else { return nil }
              return request.writtenID == nil ? .offline : .lostReply
            }
            _ = try await rig.sync(SyncOptions(direction: direction))
          }
          rig.remote.setFault(nil)
          _ = try await rig.sync(SyncOptions(direction: direction))
          #expect(
            rig.remoteTitles == (try await rig.localTitles()),
            "\(direction), batches of \(batch), cut after \(cut)")
          try await rig.expectAtRest(SyncOptions(direction: direction))
        }
      }
    }
  }
}
