internal import CSQLite
internal import SyncCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `decode HOW FILE`: takes id, stamp and version out of every entry of a listing. The file holds its
/// pages, one a line; they are read into memory one by one, as they come from a connection.
enum Decode {
  enum How: String, CaseIterable {
    /// As the dialects read listings: an entry at a time, in the pieces that arrive.
    case scanner
    /// SQLite's `json_each`, a page at a time.
    case each = "json_each"
    /// Foundation's `JSONDecoder` into an array of structures, a page at a time.
    case decoder = "JSONDecoder"
  }

  static func run(_ words: [String]) throws {
    guard words.count == 2, let how = How(rawValue: words[0]) else {
      throw BenchError("usage: decode \(How.allCases.map(\.rawValue).joined(separator: "|")) FILE")
    }
    var tally = Tally()
    let pages = try Pages(words[1])
    switch how {
    case .scanner: try scan(pages, &tally)
    case .each: try each(pages, &tally)
    case .decoder: try decode(pages, &tally)
    }
    print("\(tally.count) \(tally.bytes) \(tally.newest)")
  }

  /// What a decoder found, so that all three can be seen to find the same. Each makes of an entry what
  /// set arithmetic needs: an id, a moment, a version.
  private struct Tally {
    var count = 0
    var bytes = 0
    var newest = Timestamp(microseconds: .min)

    mutating func add(_ digest: RemoteDigest) {
      count += 1
      bytes += digest.id.string.utf8.count + digest.version.raw.utf8.count
      if let stamp = digest.updatedAt { newest = max(newest, stamp) }
    }

    mutating func add(id: String, updatedAt: String, etag: String) throws {
      guard let stamp = Timestamp(rfc3339: updatedAt) else { throw BenchError("not a stamp") }
      add(
        RemoteDigest(id: try ProjectID(id), updatedAt: stamp, version: Version(etag), etag: etag))
    }
  }

  private static func scan(_ pages: Pages, _ tally: inout Tally) throws {
    let decoder = RecordDecoder()
    while let page = try pages.next() {
      var stream = JSONElementStream()
      for start in stride(from: 0, to: page.count, by: 16 << 10) {
        try stream.consume(Array(page[start..<min(start + 16 << 10, page.count)])) { entry in
          tally.add(try decoder.digest(entry))
        }
      }
      _ = try stream.finish()
    }
  }

  private static func each(_ pages: Pages, _ tally: inout Tally) throws {
    let database = try Connection(":memory:")
    let digests = try database.prepare(
      "SELECT value ->> 'id', value ->> 'updatedAt', value ->> 'etag' FROM json_each(?1)")
    defer { sqlite3_finalize(digests) }
    while let page = try pages.next() {
      page.withUnsafeBytes { bytes in
        _ = syncd_sqlite3_bind_text(
          digests, 1, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
      }
      while sqlite3_step(digests) == SQLITE_ROW {
        try tally.add(id: digests.text(0), updatedAt: digests.text(1), etag: digests.text(2))
      }
      sqlite3_reset(digests)
    }
  }

  private struct Digest: Decodable {
    var id: String
    var updatedAt: String
    var etag: String
  }

  private static func decode(_ pages: Pages, _ tally: inout Tally) throws {
    let decoder = JSONDecoder()
    while let page = try pages.next() {
      for digest in try decoder.decode([Digest].self, from: Data(page)) {
        try tally.add(id: digest.id, updatedAt: digest.updatedAt, etag: digest.etag)
      }
    }
  }

  /// The lines of a file, one at a time.
  private final class Pages {
    private let bytes: [UInt8]
    private var start = 0

    init(_ path: String) throws { bytes = try Files.read(path) }

    func next() throws -> [UInt8]? {
      guard start < bytes.count else { return nil }
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      defer { start = end + 1 }
      return Array(bytes[start..<end])
    }
  }
}
