#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A response as it came over the wire.
struct Reply: Sendable {
  var status: Int
  var headers: [(name: String, value: String)]
  var body: [UInt8]

  var text: String { String(decoding: body, as: UTF8.self) }

  var lines: [String] { text.split(separator: "\n").map(String.init) }

  subscript(name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

struct ClientError: Error {
  let message: String
}

/// An HTTP client of the smallest kind: one connection a request, bytes as they are given, so that
/// what no decent client would send can be sent.
struct RawClient: Sendable {
  let port: UInt16
  var token: String?

  func send(
    _ method: String, _ target: String, _ headers: [String: String] = [:], body: [UInt8]? = nil
  ) throws -> Reply {
    var head = "\(method) \(target) HTTP/1.1\r\nConnection: close\r\n"
    if headers["Host"] == nil { head += "Host: 127.0.0.1:\(port)\r\n" }
    if let token { head += "Authorization: Bearer \(token)\r\n" }
    if let body, headers["Content-Length"] == nil, headers["Transfer-Encoding"] == nil {
      head += "Content-Length: \(body.count)\r\n"
    }
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    return try exchange(Array("\(head)\r\n".utf8) + (body ?? []), isHead: method == "HEAD")
  }

  func exchange(_ bytes: [UInt8], isHead: Bool = false) throws -> Reply {
    try Self.parse(try raw(bytes), isHead: isHead)
  }

  /// Sends bytes as they are, and reads what comes until the server closes.
  func raw(_ bytes: [UInt8]) throws -> [UInt8] {
    let descriptor = try connected()
    defer { close(descriptor) }
    try write(bytes, to: descriptor)
    return try readAll(descriptor)
  }

  /// Sends a part of a request and goes away.
  func abandon(_ text: String) throws {
    let descriptor = try connected()
    defer { close(descriptor) }
    try write(Array(text.utf8), to: descriptor)
  }

  private func connected() throws -> Int32 {
    #if canImport(Glibc)
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var timeout = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard descriptor >= 0, result == 0 else {
      close(descriptor)
      throw ClientError(message: "cannot connect: \(String(cString: strerror(errno)))")
    }
    return descriptor
  }

  private func write(_ bytes: [UInt8], to descriptor: Int32) throws {
    #if canImport(Glibc)
      let flags = Int32(MSG_NOSIGNAL)
    #else
      let flags: Int32 = 0
    #endif
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        sendOnce(descriptor, $0.baseAddress, $0.count, flags)
      }
      // The server may have answered and closed before it read everything.
      guard count > 0 else { return }
      sent += count
    }
  }

  private func sendOnce(
    _ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32
  ) -> Int {
    #if canImport(Glibc)
      Glibc.send(descriptor, bytes, count, flags)
    #else
      Darwin.send(descriptor, bytes, count, flags)
    #endif
  }

  private func readAll(_ descriptor: Int32) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count == 0 { return bytes }
      if count < 0 {
        if !bytes.isEmpty { return bytes }
        throw ClientError(message: "no answer: \(String(cString: strerror(errno)))")
      }
      bytes.append(contentsOf: buffer[..<count])
    }
  }

  // MARK: Reading a response

  private static func parse(_ bytes: [UInt8], isHead: Bool) throws -> Reply {
    let end = Array("\r\n\r\n".utf8)
    guard let split = (0..<max(0, bytes.count - 3)).first(where: { bytes[$0..<$0 + 4] == end[...] })
    else { throw ClientError(message: "no whole head in \(bytes.count) bytes") }
    let lines = String(decoding: bytes[..<split], as: UTF8.self)
      .split(separator: "\r\n", omittingEmptySubsequences: false)
    let status = Int(lines[0].split(separator: " ")[1]) ?? 0
    if status == 100 { return try parse(Array(bytes[(split + 4)...]), isHead: isHead) }
    let headers = lines.dropFirst().map { line in
      let colon = line.firstIndex(of: ":") ?? line.endIndex
      return (
        name: String(line[..<colon]),
        value: String(line[colon...].dropFirst().drop { $0 == " " })
      )
    }
    var reply = Reply(status: status, headers: headers, body: Array(bytes[(split + 4)...]))
    if reply["Transfer-Encoding"]?.lowercased() == "chunked" {
      reply.body = try unchunked(reply.body)
    } else if !isHead, let length = reply["Content-Length"], Int(length) != reply.body.count {
      throw ClientError(message: "a body of \(reply.body.count) bytes, not \(length)")
    }
    return reply
  }

  private static func unchunked(_ bytes: [UInt8]) throws -> [UInt8] {
    var body: [UInt8] = []
    var rest = bytes[...]
    while let line = rest.firstIndex(of: UInt8(ascii: "\r")) {
      let digits = String(decoding: rest[rest.startIndex..<line], as: UTF8.self)
      guard let size = Int(digits, radix: 16) else { break }
      if size == 0 { return body }
      body.append(contentsOf: rest[(line + 2)..<(line + 2 + size)])
      rest = rest[(line + 2 + size + 2)...]
    }
    throw ClientError(message: "a chunked body without its end")
  }
}
