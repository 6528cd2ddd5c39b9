internal import SyncKit

/// One connection: reads requests and runs their scripts, on its own thread.
struct WireConnection {
  let socket: WireSocket
  let number: Int
  let core: WireCore
  private var buffer: [UInt8] = []

  private static let headLimit = 1 << 20
  private static let bodyLimit = 256 << 20

  /// Whether the connection lives on after a script.
  private enum Ending {
    case keep, close, proceed
  }

  init(socket: WireSocket, number: Int, core: WireCore) {
    self.socket = socket
    self.number = number
    self.core = core
  }

  /// Serves until one of both sides closes.
  mutating func serve() {
    while !core.isStopped, var request = readHead() {
      core.log(&request)
      if let script = core.early?(request) {
        guard run(script, for: request) == .proceed else { return }
      }
      guard readBody(of: &request) else { return }
      core.update(request)
      guard run(core.handler(request), for: request) == .keep,
        request.headers["Connection"]?.lowercased() != "close"
      else { return }
    }
  }

  /// Waits for nothing but the end.
  func stayMute() {
    while !core.isStopped && !socket.isHungUp() {}
  }

  // MARK: Scripts

  private func run(_ script: WireScript, for request: WireRequest) -> Ending {
    for step in script.steps {
      switch step {
      case .response(let status, let headers, let body):
        let hasBody = status != 204 && status != 304
        let framing = hasBody ? "Content-Length: \(body.count)\r\n" : ""
        let head = Array(WireScript.head(status, headers, framing).utf8)
        guard transmit(hasBody && request.method != "HEAD" ? head + body : head)
        else { return .close }
      case .send(let bytes):
        guard transmit(bytes) else { return .close }
      case .wait(let gate):
        while !gate.isOpen {
          if core.isStopped || socket.isClosedByPeer() { return .close }
        }
      case .open(let gate):
        gate.open()
      case .waitForClose:
        while !core.isStopped && !socket.isClosedByPeer() {}
        return .close
      case .close:
        return .close
      case .reset:
        socket.armReset()
        return .close
      case .proceed:
        return .proceed
      }
    }
    return .keep
  }

  private func transmit(_ bytes: [UInt8]) -> Bool {
    socket.transmit(bytes, progress: core.countSent)
  }

  // MARK: Reading

  private mutating func fill() -> Bool {
    guard let bytes = socket.receive() else { return false }
    buffer += bytes
    return true
  }

  private mutating func take(_ count: Int) -> [UInt8] {
    let bytes = Array(buffer.prefix(count))
    buffer.removeFirst(count)
    return bytes
  }

  /// A line without its end; nil when the connection ends first.
  private mutating func readLine() -> [UInt8]? {
    var searched = 0
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        var line = take(end + 1)
        line.removeLast()
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line
      }
      searched = buffer.count
      guard searched < Self.headLimit, fill() else { return nil }
    }
  }

  private mutating func readHead() -> WireRequest? {
    guard let first = readLine() else { return nil }
    let parts = String(decoding: first, as: UTF8.self).split(separator: " ")
    guard parts.count == 3 else { return nil }
    var request = WireRequest(
      method: String(parts[0]), target: String(parts[1]), version: String(parts[2]),
      headers: [:], connection: number, number: 0)
    request.wireBytes = first.count + 2
    while let line = readLine() {
      request.wireBytes += line.count + 2
      if line.isEmpty { return request }
      let text = String(decoding: line, as: UTF8.self)
      guard let colon = text.firstIndex(of: ":") else { return nil }
      let value = text[text.index(after: colon)...].drop { $0 == " " }
      request.headers.add(String(text[..<colon]), String(value))
    }
    return nil
  }

  private mutating func readBody(of request: inout WireRequest) -> Bool {
    if request.headers["Transfer-Encoding"] != nil {
      request.isChunked = true
      return readChunks(of: &request)
    }
    let length = request.headers["Content-Length"].flatMap { Int($0) } ?? 0
    guard (0...Self.bodyLimit).contains(length) else { return false }
    while buffer.count < length {
      guard fill() else { return false }
    }
    request.body = take(length)
    request.wireBytes += length
    return true
  }

  private mutating func readChunks(of request: inout WireRequest) -> Bool {
    while let line = readLine() {
      let digits = String(decoding: line.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
      guard let size = Int(digits, radix: 16), size >= 0, size <= Self.bodyLimit else {
        return false
      }
      request.wireBytes += line.count + 2 + size + 2
      while buffer.count < size + 2 {
        guard fill() else { return false }
      }
      request.body += take(size)
      _ = take(2)
      if size == 0 { return true }
      if request.body.count > Self.bodyLimit { return false }
    }
    return false
  }
}
