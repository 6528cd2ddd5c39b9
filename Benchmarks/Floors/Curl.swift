internal import CCurl

/// What crossed the wire in a floor, printed in the words of `syncd once --json`.
struct Traffic {
  var requests = 0
  var sent: Int64 = 0
  var received: Int64 = 0
  /// Whether bodies are given as fields of a POST.
  var isBodyInRequest = false

  /// Adds one finished transfer; throws unless its status was one of success, or 304.
  mutating func add(_ easy: UnsafeMutableRawPointer, result: CURLcode) throws {
    guard result == CURLE_OK else {
      throw BenchError("libcurl: \(String(cString: curl_easy_strerror(result)))")
    }
    var status = 0
    _ = syncd_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
    guard (200..<300).contains(status) || status == 304 else {
      throw BenchError("the server answered \(status)")
    }
    requests += 1
    // libcurl counts a body that it sends along with the head (the fields of a POST up to 64 KiB)
    // in both numbers.
    let request = Self.long(easy, CURLINFO_REQUEST_SIZE)
    sent += isBodyInRequest ? request : request + Self.offset(easy, CURLINFO_SIZE_UPLOAD_T)
    received += Self.offset(easy, CURLINFO_SIZE_DOWNLOAD_T) + Self.long(easy, CURLINFO_HEADER_SIZE)
  }

  func print() {
    Swift.print(
      "{\"outcome\":\"inSync\",\"requests\":\(requests),\"bytesSent\":\(sent),"
        + "\"bytesReceived\":\(received)}")
  }

  private static func offset(_ easy: UnsafeMutableRawPointer, _ info: CURLINFO) -> Int64 {
    var value: curl_off_t = 0
    _ = syncd_curl_get_offset(easy, info, &value)
    return Int64(value)
  }

  private static func long(_ easy: UnsafeMutableRawPointer, _ info: CURLINFO) -> Int64 {
    var value = 0
    _ = syncd_curl_get_long(easy, info, &value)
    return Int64(value)
  }
}

enum Curl {
  /// A handle that throws away what it receives.
  static func makeHandle(headers: UnsafeMutablePointer<curl_slist>?) throws
    -> UnsafeMutableRawPointer
  {
    guard let easy = curl_easy_init() else { throw BenchError("libcurl: no handle") }
    _ = syncd_curl_set_data_function(easy, CURLOPT_WRITEFUNCTION) { _, size, count, _ in
      size * count
    }
    _ = syncd_curl_set_pointer(easy, CURLOPT_HTTPHEADER, headers)
    _ = syncd_curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
    _ = syncd_curl_set_string(easy, CURLOPT_PROXY, "")
    return easy
  }

  static func list(_ headers: [String]) -> UnsafeMutablePointer<curl_slist>? {
    headers.reduce(nil) { curl_slist_append($0, $1) }
  }
}

extension Curl {
  /// Gets a body whole.
  static func fetch(_ easy: UnsafeMutableRawPointer, _ url: String) throws -> [UInt8] {
    final class Body { var bytes: [UInt8] = [] }
    let body = Body()
    _ = syncd_curl_set_data_function(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      if let bytes, let context {
        Unmanaged<Body>.fromOpaque(context).takeUnretainedValue()
          .bytes += UnsafeRawBufferPointer(start: bytes, count: size * count)
      }
      return size * count
    }
    _ = syncd_curl_set_pointer(easy, CURLOPT_WRITEDATA, Unmanaged.passUnretained(body).toOpaque())
    _ = syncd_curl_set_string(easy, CURLOPT_URL, url)
    var traffic = Traffic()
    try traffic.add(easy, result: withExtendedLifetime(body) { curl_easy_perform(easy) })
    return body.bytes
  }
}
