import Synchronization
import TestSupport
import Testing

@testable import SyncKit

/// What a remote makes of writes is found out, and nothing stays behind.
@Suite("The write probe")
struct WriteProbeTests {
  @Test(
    "every remote is probed without a fault, and left as it was", arguments: RemoteUnderTest.all)
  func everyRemote(_ subject: RemoteUnderTest) async throws {
    let instance = try await subject.make()
    try await instance.put(.sample("mine"))
    let before = try await instance.projects()
    let findings = try await WriteProbe.run(on: instance.remote)
    #expect(findings.count > 5, "\(findings)")
    #expect(!findings.contains { $0.kind == .fault }, "\(findings)")
    #expect(try await instance.projects() == before)
    await instance.stop()
  }

  private func rest(
    _ change: (inout RESTServerModel.Habits) -> Void
  ) throws -> (remote: any RemoteStore, server: RESTServerModel) {
    var habits = RESTServerModel.Habits()
    change(&habits)
    let server = RESTServerModel(habits)
    var options = RemoteOptions(url: "http://localhost/v1/projects/")
    options.dialect = .rest
    let remote = try makeRemote(
      options, transport: server.transport, clock: JumpingClock(), random: { 0.5 })
    return (remote, server)
  }

  @Test("the precision of stamps is told")
  func stamps() async throws {
    let (exact, _) = try rest { _ in }
    #expect(try await WriteProbe.run(on: exact).has("to the microsecond", .sound))
    let (cut, _) = try rest { $0.stamp = { $0.cut(to: 1_000_000) } }
    #expect(try await WriteProbe.run(on: cut).has("to the second", .limit))
    let (own, _) = try rest { $0.stamp = { _ in Timestamp(microseconds: 1_900_000_000_000_000) } }
    #expect(try await WriteProbe.run(on: own).has("stamps of its own", .limit))
  }

  @Test("whether the remote itself holds to conditions is told")
  func conditions() async throws {
    let (honours, _) = try rest { _ in }
    #expect(try await WriteProbe.run(on: honours).has("on the remote itself", .sound))
    let (ignores, _) = try rest { ($0.honoursUpdates, $0.honoursCreates) = (false, false) }
    #expect(try await WriteProbe.run(on: ignores).has("looked at right before", .limit))
    let liar = MemoryRemote()
    liar.behaviour.honoursConditions = false
    #expect(try await WriteProbe.run(on: liar).has("conditions do not hold", .fault))
    #expect(liar.projects.isEmpty)
  }

  @Test("what is wrong with the list is told as it is")
  func listing() async throws {
    func probed(_ change: @escaping @Sendable ([Substring]) -> [Substring]) async throws
      -> [WriteProbe.Finding]
    {
      let (remote, server) = try rest { _ in }
      server.setAfter { request, answer in
        var answer = answer
        let text = String(decoding: answer.body, as: UTF8.self)
        guard request.method == .get, text.hasPrefix("[{") else { return answer }
        var entries = text.dropFirst().dropLast().split(separator: "},")
        entries[entries.count - 1].removeLast()
        answer.body = Array("[\(change(entries).map { $0 + "}" }.joined(separator: ","))]".utf8)
        return answer
      }
      return try await WriteProbe.run(on: remote)
    }
    #expect(try await probed { $0 }.has("every record that was written, once", .sound))
    let twice = try await probed { $0 + $0.prefix(2) }
    #expect(twice.has("the list names more than once 2", .fault), "\(twice)")
    let short = try await probed { Array($0.dropFirst(3)) }
    #expect(short.has("the list lacks 3", .fault), "\(short)")
  }

  @Test("ids and contents that a server does not hold are told")
  func limits() async throws {
    let model = FirestoreModel()
    let remote = try makeRemote(
      RemoteOptions(url: FirestoreModel.url), transport: model.transport, clock: JumpingClock())
    let findings = try await WriteProbe.run(on: remote)
    #expect(findings.has("does not hold ids with /, such", .limit), "\(findings)")
    #expect(findings.has("twenty digits comes back", .sound), "\(findings)")
  }

  @Test("who may not write is told so, and nothing else is tried")
  func readOnly() async throws {
    var habits = FirestoreModel.Habits()
    (habits.hasBatchWrite, habits.forbidden) = (false, "syncdprobe")
    let model = FirestoreModel(habits)
    let remote = try makeRemote(
      RemoteOptions(url: FirestoreModel.url), transport: model.transport, clock: JumpingClock())
    let findings = try await WriteProbe.run(on: remote)
    #expect(findings.count == 1 && findings.has("not taken", .fault), "\(findings)")
  }

  @Test("whatever breaks off, what was written is taken away", arguments: 1...30)
  func broken(_ number: Int) async throws {
    let remote = MemoryRemote()
    let count = Mutex(0)
    remote.setPause { request in
      let now = count.withLock { count in
        count += 1
        return count
      }
      if now == number { throw SyncError(.offline, "no way") }
    }
    await #expect(throws: SyncError.self) { try await WriteProbe.run(on: remote) }
    #expect(remote.projects.isEmpty)
  }

  @Test("a probe that is cancelled takes away what it wrote")
  func cancelled() async throws {
    let remote = MemoryRemote()
    remote.setPause { request in
      if case .list = request { withUnsafeCurrentTask { $0?.cancel() } }
      try Task.checkCancellation()
    }
    let task = Task { try await WriteProbe.run(on: remote) }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(remote.projects.isEmpty)
  }
}

extension [WriteProbe.Finding] {
  fileprivate func has(_ words: String, _ kind: WriteProbe.Finding.Kind) -> Bool {
    contains { $0.kind == kind && $0.message.contains(words) }
  }
}
