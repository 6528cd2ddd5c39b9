import SyncServer
import TestSupport
import Testing

@testable import SyncKit

/// The real server, over the real transport, asked how its set differs from one that is known.
@Suite("Comparing with syncd serve")
struct CompareRemoteTests {
  private func differences(
    _ remote: any RemoteStore, _ known: [ProjectID: RemoteDigest], _ id: String
  ) async throws -> [ProjectID: RemoteDigest] {
    let hashing = RangeHashing.keyed(by: id)
    let items = known.values.map { RangeItem($0.id, $0.version) }.sorted { $0.id < $1.id }
    let chunks = ChunkedRanges.Chunk.chunks(of: items, hashing: hashing)
    let set = ChunkedRanges(chunks, hashing: hashing, reader: .init(items))
    var inquirer = try RangeInquirer(set)
    var found = known
    while !inquirer.isDone, inquirer.questions < RangeLimits.questions {
      let asked = inquirer.question()
      let (listing, answer) = try #require(try await remote.compare(asked, since: nil))
      #expect(listing.isPartial && listing.remoteID == id)
      for change in try inquirer.take(answer, to: asked, from: set) {
        if case .stored(let digest) = change {
          found[digest.id] = digest
        } else {
          found[change.id] = nil
        }
      }
    }
    return found
  }

  @Test(
    "finds what differs after any writes, in any order",
    arguments: RemoteUnderTest.real.filter { !$0.name.hasPrefix("rest") })
  func random(_ subject: RemoteUnderTest) async throws {
    let instance = try await subject.make()
    let remote = instance.remote
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    var known: [ProjectID: RemoteDigest] = [:]
    #expect(await remote.mayCompare)
    for round in 0..<4 {
      let writes: [RemoteWrite] = (0..<700).map { _ in
        .put(.sample("p\(Int.random(in: 0..<1500, using: &random))", second: Int64(round)), .absent)
      }
      let distinct = Dictionary(writes.map { ($0.id, $0) }) { first, _ in first }
      _ = try await remote.write(Array(distinct.values.prefix(500)))
      let now = try await remote.digests()
      let gone = now.values.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
      _ = try await remote.write(gone.map { .delete($0.id, .matches($0)) })
      let digests = try await remote.digests()
      let id = try #require(try await remote.listing().listing.remoteID)
      #expect(try await differences(remote, known, id) == digests, "seed \(seed)")
      #expect(try await differences(remote, digests, id) == digests, "seed \(seed)")
      known = digests
    }
    await instance.stop()
  }
}
