internal import CCurl

/// `floor-put URL LINES [replace]`: PUTs every line of a file to its id with libcurl's multi
/// interface, eight at once over connections that are kept, and nothing else: as new ones, or in
/// place of what is there. The bodies are ready before it starts and no store is read: what `syncd`
/// does beyond this is its own.
enum PutFloor {
  static let width = 8
  static let headers = [
    "User-Agent: syncd/0.0.0", "Content-Type: application/json", "Accept: application/json",
    "Expect:",
  ]

  static func run(_ words: [String]) throws {
    guard words.count == 2 || words.count == 3 && words[2] == "replace" else {
      throw BenchError("usage: floor-put URL LINES [replace]")
    }
    let lines = try Files.read(words[1]).split(separator: 0x0A)
    let headers = Curl.list(Self.headers + (words.count == 2 ? ["If-None-Match: *"] : []))
    guard let multi = curl_multi_init() else { throw BenchError("libcurl: no multi handle") }
    _ = syncd_curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, width)
    var next = 0
    var traffic = Traffic(isBodyInRequest: true)

    func start(_ easy: UnsafeMutableRawPointer) {
      let line = lines[next]
      next += 1
      let id = String(decoding: line.dropFirst(7).prefix(36), as: UTF8.self)
      _ = syncd_curl_set_string(easy, CURLOPT_URL, "\(words[0])/\(id)")
      _ = syncd_curl_set_long(easy, CURLOPT_POSTFIELDSIZE, line.count)
      line.withUnsafeBytes {
        _ = syncd_curl_set_pointer(
          easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: $0.baseAddress))
      }
      curl_multi_add_handle(multi, easy)
    }

    for _ in 0..<min(width, lines.count) {
      let easy = try Curl.makeHandle(headers: headers)
      _ = syncd_curl_set_string(easy, CURLOPT_CUSTOMREQUEST, "PUT")
      _ = syncd_curl_set_string(easy, CURLOPT_ACCEPT_ENCODING, "gzip")
      start(easy)
    }
    while traffic.requests < lines.count {
      var running: Int32 = 0
      curl_multi_perform(multi, &running)
      var left: Int32 = 0
      while let message = curl_multi_info_read(multi, &left) {
        guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else {
          continue
        }
        try traffic.add(easy, result: message.pointee.data.result)
        curl_multi_remove_handle(multi, easy)
        if next < lines.count { start(easy) }
      }
      if traffic.requests < lines.count { curl_multi_poll(multi, nil, 0, 1000, nil) }
    }
    traffic.print()
  }
}
