internal import CCurl
internal import CSQLite

/// `floor-batch URL STORE [CONDITION [DELETIONS-OF ROUND]]`: reads the projects from a store and
/// sends them in the body of one request, as they are read; then the ids that a round of `change`
/// deleted.
enum BatchFloor {
  static func run(_ words: [String]) throws {
    guard words.count >= 2 else {
      throw BenchError("usage: floor-batch URL STORE [CONDITION [DELETIONS-OF ROUND]]")
    }
    let store = try Connection(words[1])
    let condition = words.count > 2 ? " WHERE \(words[2])" : ""
    let body = RowBody(
      try store.prepare("SELECT \(RowEncoder.columns) FROM projects\(condition) ORDER BY id"))
    if words.count > 4, let count = Int(words[3]), let round = Int(words[4]) {
      for n in Change.deleted(count: count, round: round) {
        body.trailer += Array("{\"delete\":\"\(Workload.id(n))\"}\n".utf8)
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
