internal import CCurl
internal import CSQLite

/// `alter URL STORE STEP LIMIT`: a second client, which edits projects on the remote that lie
/// scattered over the set, in requests of a batch each. Prints how many.
enum Scattered {
  static func run(_ words: [String]) throws {
    guard words.count == 4, let step = Int(words[2]), let limit = Int(words[3]) else {
      throw BenchError("usage: alter URL STORE STEP LIMIT")
    }
    let store = try Connection(words[1])
    // Newer than what both sides have, and longer by one character.
    let columns = RowEncoder.columns.replacing("title", with: "title || '+'")
      .replacing("updated_at", with: "max(updated_at + 1, unixepoch() * 1000000)")
    let rows = try store.prepare(
      "SELECT \(columns) FROM projects\(condition(step: step, limit: limit))")
    defer { sqlite3_finalize(rows) }
    var (lines, count): ([UInt8], Int) = ([], 0)
    while sqlite3_step(rows) == SQLITE_ROW {
      lines += Array("{\"put\":".utf8)
      RowEncoder.append(rows, to: &lines)
      lines.removeLast()
      lines += Array("}\n".utf8)
      count += 1
      if count % 500 == 0 { try send(&lines, words[0]) }
    }
    try send(&lines, words[0])
    print(count)
  }

  /// Chooses one project of every `step`, `limit` at most.
  static func condition(step: Int, limit: Int) -> String {
    " WHERE rowid % \(step) = \(step / 2) LIMIT \(limit)"
  }

  private static func send(_ lines: inout [UInt8], _ url: String) throws {
    guard !lines.isEmpty else { return }
    let easy = try Curl.makeHandle(headers: Curl.list(["Content-Type: application/x-ndjson"]))
    _ = syncd_curl_set_string(easy, CURLOPT_URL, "\(url)/batch")
    _ = syncd_curl_set_long(easy, CURLOPT_POSTFIELDSIZE, lines.count)
    lines.withUnsafeBytes {
      _ = syncd_curl_set_pointer(
        easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: $0.baseAddress))
    }
    var traffic = Traffic()
    try traffic.add(easy, result: curl_easy_perform(easy))
    lines = []
  }
}
