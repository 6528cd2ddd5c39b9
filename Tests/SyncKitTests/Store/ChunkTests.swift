import TestSupport
import Testing

@testable import SyncKit

@Suite("The sums of the base")
struct ChunkTests {
  private let hashing = RangeHashing.keyed(by: "remote")

  /// The items that the chunks say they sum, range by range, against the base itself.
  private func expectTrue(
    _ chunks: [ChunkedRanges.Chunk], _ store: LocalStore, _ remote: Int64, _ seed: UInt64
  ) async throws {
    for (index, chunk) in chunks.enumerated() {
      let end = index + 1 < chunks.count ? chunks[index + 1].first : nil
      #expect((chunk.first == nil) == (index == 0), "seed \(seed)")
      let items = try await store.items(in: IDRange(from: chunk.first, to: end), remote: remote)
      #expect(chunk.sum == hashing.sum(items), "seed \(seed)")
      #expect(items.count <= 2 * ChunkedRanges.chunkSize, "seed \(seed)")
    }
  }

  @Test("are those of the base, whatever changed in it since they were last asked for")
  func random() async throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    let store = try LocalStore(inMemory: ())
    let remote = try await store.openRemote(url: "http://a", remoteID: "remote", dialect: "syncd")
    for round in 0..<12 {
      var changes: [Acknowledgement] = []
      var ids: Set<ProjectID> = []
      for _ in 0..<(round == 0 ? 900 : Int.random(in: 0...120, using: &random)) {
        let id = try ProjectID(String(Int.random(in: 0..<3000, using: &random), radix: 36))
        guard ids.insert(id).inserted else { continue }
        // Whole neighbourhoods go now and then.
        if round > 0, Int.random(in: 0..<3, using: &random) == 0 || (round == 7 && id.string < "9")
        {
          changes.append(.forgotten(id))
        } else {
          changes.append(
            .agreed(
              id, localUpdatedAt: Timestamp(microseconds: 1),
              remoteVersion: Version("\"\(random.next())\""), etag: nil, same: true))
        }
      }
      try await store.commit(changes, remote: remote)
      guard Int.random(in: 0..<3, using: &random) > 0 else { continue }
      let chunks = try await store.foldedChunks(remote: remote, hashing: hashing)
      try await expectTrue(chunks, store, remote, seed)
      // Once folded, they are kept.
      #expect(
        try await store.number("SELECT count(*) FROM syncd_chunk WHERE sum IS NULL") == 0,
        "seed \(seed)")
      #expect(
        try await store.foldedChunks(remote: remote, hashing: hashing) == chunks, "seed \(seed)")
    }
  }

  @Test("go with the base of a remote that was replaced")
  func replaced() async throws {
    let store = try LocalStore(inMemory: ())
    let remote = try await store.openRemote(url: "http://a", remoteID: "one", dialect: "syncd")
    _ = try await store.foldedChunks(remote: remote, hashing: hashing)
    #expect(try await store.number("SELECT count(*) FROM syncd_chunk") == 1)
    _ = try await store.openRemote(url: "http://a", remoteID: "two", dialect: "syncd")
    #expect(try await store.number("SELECT count(*) FROM syncd_chunk") == 0)
  }

  @Test("are not written where nothing may be written, and are right all the same")
  func readOnly() async throws {
    let files = try TemporaryStore()
    let remote = try await {
      let store = try files.open()
      let remote = try await store.openRemote(url: "http://a", remoteID: "r", dialect: "syncd")
      try await store.commit(
        [
          .agreed(
            try ProjectID("a"), localUpdatedAt: Timestamp(microseconds: 1),
            remoteVersion: Version("1"), etag: nil, same: true)
        ], remote: remote)
      return remote
    }()
    let reader = try files.open(.readOnly)
    let chunks = try await reader.foldedChunks(remote: remote, hashing: hashing)
    try await expectTrue(chunks, reader, remote, 0)
    #expect(try await reader.number("SELECT count(*) FROM syncd_chunk") == 0)
  }
}

extension LocalStore {
  fileprivate func items(in range: IDRange, remote: Int64) throws -> [RangeItem] {
    var items: [RangeItem] = []
    try database.forEachItem(in: range, remote: remote) { items.append($0) }
    return items
  }
}
