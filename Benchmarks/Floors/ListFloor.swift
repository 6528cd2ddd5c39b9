internal import CCurl
internal import CSQLite

/// `floor-list URL`: receives every page of a listing with libcurl, and lets SQLite's `json_each`
/// take id, stamp and version out of it. A listing that is compared with anything cannot cost less.
enum ListFloor {
  static func run(_ words: [String]) throws {
    guard words.count == 1 else { throw BenchError("usage: floor-list URL") }
    let database = try Connection(":memory:")
    let digests = try database.prepare(
      "SELECT count(value ->> 'id'), max(value ->> 'updatedAt'), max(value ->> 'etag')"
        + " FROM json_each(?1)")
    defer { sqlite3_finalize(digests) }
    let page = Page()
    let context = Unmanaged.passUnretained(page).toOpaque()
    let easy = try Curl.makeHandle(headers: nil)
    _ = syncd_curl_set_data_function(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      if let bytes, let context {
        Unmanaged<Page>.fromOpaque(context).takeUnretainedValue()
          .body += UnsafeRawBufferPointer(start: bytes, count: size * count)
      }
      return size * count
    }
    _ = syncd_curl_set_pointer(easy, CURLOPT_WRITEDATA, context)
    _ = syncd_curl_set_data_function(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      if let bytes, let context {
        Unmanaged<Page>.fromOpaque(context).takeUnretainedValue()
          .take(header: UnsafeRawBufferPointer(start: bytes, count: size * count))
      }
      return size * count
    }
    _ = syncd_curl_set_pointer(easy, CURLOPT_HEADERDATA, context)
    let origin = words[0].split(separator: "/", omittingEmptySubsequences: false).prefix(3)
      .joined(separator: "/")
    var traffic = Traffic()
    var next: String? = words[0]
    while let url = next {
      page.body.removeAll(keepingCapacity: true)
      page.next = nil
      _ = syncd_curl_set_string(easy, CURLOPT_URL, url)
      try traffic.add(easy, result: withExtendedLifetime(page) { curl_easy_perform(easy) })
      page.body.withUnsafeBytes { bytes in
        _ = syncd_sqlite3_bind_text(
          digests, 1, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
      }
      try database.run(digests)
      next = page.next.map { origin + $0 }
    }
    traffic.print()
  }

  private final class Page {
    var body: [UInt8] = []
    /// The path of the page after this one.
    var next: String?

    func take(header bytes: UnsafeRawBufferPointer) {
      let line = String(decoding: bytes, as: UTF8.self)
      guard line.lowercased().hasPrefix("link:"), line.contains("rel=\"next\""),
        let start = line.firstIndex(of: "<"), let end = line.firstIndex(of: ">")
      else { return }
      next = String(line[line.index(after: start)..<end])
    }
  }
}
