internal import CCurl
internal import CSQLite

/// `floor-batch URL STORE [changes|every STEP LIMIT]`: reads projects from a store and sends them in
/// the body of one request, as they are read: all; those that the journal names, deletions after
/// them; or so many, scattered over the store.
enum BatchFloor {
  static func run(_ words: [String]) throws {
    let usage = BenchError("usage: floor-batch URL STORE [changes|every STEP LIMIT]")
    guard words.count >= 2 else { throw usage }
    let store = try Connection(words[1])
    let condition: String
    switch (words.dropFirst(2).first, words.count) {
    case (nil, _): condition = " ORDER BY id"
    case ("changes", 3): condition = Self.changed
    case ("every", 5):
      guard let step = Int(words[3]), let limit = Int(words[4]) else { throw usage }
      condition = Scattered.condition(step: step, limit: limit)
    default: throw usage
    }
    let body = RowBody(
      try store.prepare("SELECT \(RowEncoder.columns) FROM projects\(condition)"))
    if condition == Self.changed {
      let ids = try store.prepare("SELECT id FROM syncd_journal WHERE operation='delete'")
      defer { sqlite3_finalize(ids) }
      while sqlite3_step(ids) == SQLITE_ROW {
        body.trailer += Array("{\"delete\":\"\(ids.text(0))\"}\n".utf8)
      }
    }
    let headers = Curl.list(["Content-Type: application/x-ndjson", "Expect:"])
    let easy = try Curl.makeHandle(headers: headers)
    _ = syncd_curl_set_string(easy, CURLOPT_URL, "\(words[0])/batch")
    _ = syncd_curl_set_long(easy, CURLOPT_POST, 1)
    _ = syncd_curl_set_long(easy, CURLOPT_UPLOAD_BUFFERSIZE, 256 << 10)
    _ = syncd_curl_set_data_function(easy, CURLOPT_READFUNCTION) { buffer, size, count, context in
      guard let buffer, let context else { return 0 }
      let body = Unmanaged<RowBody>.fromOpaque(context).takeUnretainedValue()
      return body.fill(UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
    }
    _ = syncd_curl_set_pointer(easy, CURLOPT_READDATA, Unmanaged.passUnretained(body).toOpaque())
    let result = withExtendedLifetime(body) { curl_easy_perform(easy) }
    var traffic = Traffic()
    try traffic.add(easy, result: result)
    traffic.print()
  }

  private static let changed = " WHERE id IN (SELECT id FROM syncd_journal WHERE operation='put')"
}

/// `floor-get URL STORE`: opens the store, counts its projects, and sends one conditional request:
/// a run with nothing to do cannot do less.
enum GetFloor {
  static func run(_ words: [String]) throws {
    guard words.count == 2 else { throw BenchError("usage: floor-get URL STORE") }
    let store = try Connection(words[1])
    let rows = try store.prepare("SELECT 1 FROM projects LIMIT 1")
    sqlite3_step(rows)
    sqlite3_finalize(rows)
    let easy = try Curl.makeHandle(headers: Curl.list(["If-None-Match: \"1\""]))
    _ = syncd_curl_set_string(easy, CURLOPT_URL, words[0])
    var traffic = Traffic()
    try traffic.add(easy, result: curl_easy_perform(easy))
    traffic.print()
  }
}

/// The lines of a statement's rows, handed over as they fit.
private final class RowBody {
  /// Lines that follow those of the rows.
  var trailer: [UInt8] = []
  private let rows: OpaquePointer
  private var pending: [UInt8] = []
  private var isAtEnd = false

  init(_ rows: OpaquePointer) { self.rows = rows }

  deinit { sqlite3_finalize(rows) }

  func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    while pending.count < buffer.count && !isAtEnd {
      if sqlite3_step(rows) == SQLITE_ROW {
        RowEncoder.append(rows, to: &pending)
      } else {
        pending += trailer
        isAtEnd = true
      }
    }
    let count = min(buffer.count, pending.count)
    pending.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count]))
    }
    pending.removeFirst(count)
    return count
  }
}
