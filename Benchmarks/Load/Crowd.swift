internal import CCurl
internal import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Clients, and what became of their edits.
struct Crowd {
  /// Seconds from the moment an edit was due to its answer.
  private(set) var times: [Double] = []
  /// Connections that the server closed before it answered; the edit was sent again.
  private(set) var refused = 0
  private var clients: [Client]
  private let target: Endpoint
  /// Those that wait for an answer, or to try again.
  private var busy: [Int] = []

  /// Seconds after the last edit was due within which all must be answered.
  private static let patience = 15.0

  init(target: Endpoint, count: Int) {
    self.target = target
    clients = (0..<count).map { Client(id: Workload.id($0)) }
  }

  /// Edits that got no answer.
  var unanswered: Int { clients.reduce(0) { $0 + $1.waiting.count } }

  /// - Returns: seconds from the first edit to the last answer.
  mutating func run(edits: Int) throws -> Double {
    let start = Self.now
    let period = 1 / Double(clients.count)
    var next = 0
    let end = start + Double(edits) * period + Self.patience
    while Self.now < end && (next < edits || !busy.isEmpty) {
      while next < edits, start + Double(next) * period <= Self.now {
        let index = next % clients.count
        clients[index].waiting.append(start + Double(next) * period)
        if clients[index].waiting.count == 1 {
          busy.append(index)
          clients[index].send(to: target)
        }
        next += 1
      }
      let due = next < edits ? start + Double(next) * period : end
      listen(seconds: max(0, min(due - Self.now, 0.02)))
    }
    return Self.now - start
  }

  private mutating func listen(seconds: Double) {
    var watched = busy.map { index in
      let events = clients[index].isConnecting ? POLLOUT : POLLIN
      return pollfd(fd: clients[index].socket, events: Int16(events), revents: 0)
    }
    poll(&watched, nfds_t(watched.count), Int32((seconds * 1000).rounded(.up)))
    let now = Self.now
    for (index, watch) in zip(busy, watched) {
      if watch.fd < 0 {
        if now >= clients[index].retryAt { clients[index].send(to: target) }
      } else if watch.revents != 0, clients[index].isConnecting {
        clients[index].send(to: target)
      } else if watch.revents != 0 {
        switch clients[index].receive() {
        case .more: break
        case .closed:
          refused += 1
          clients[index].retryAt = now + 0.05
        case .answered:
          times.append(now - clients[index].waiting.removeFirst())
          if !clients[index].waiting.isEmpty { clients[index].send(to: target) }
        }
      }
    }
    busy.removeAll { clients[$0].waiting.isEmpty }
  }

  /// Reads the collection back.
  ///
  /// - Returns: how many clients' records are not as the server acknowledged them.
  func lost(url: String) throws -> Int {
    let database = try Connection(":memory:")
    let row = try database.prepare("SELECT ?1 ->> '$.title'")
    defer { sqlite3_finalize(row) }
    var lost = 0
    let easy = try Curl.makeHandle(headers: nil)
    for client in clients where client.acknowledged > 0 {
      let body = try Curl.fetch(easy, "\(url)/\(client.id)")
      row.bind(String(decoding: body, as: UTF8.self), at: 1)
      guard sqlite3_step(row) == SQLITE_ROW else { throw database.failure("a record") }
      // A later edit whose answer was not awaited may be there.
      let edit = Int(row.text(0).split(separator: " ").last ?? "") ?? 0
      if edit < client.acknowledged { lost += 1 }
      sqlite3_reset(row)
    }
    return lost
  }

  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}

/// A client with one record, and one request at a time.
private struct Client {
  enum Event {
    case more
    case closed
    case answered
  }

  let id: String
  /// When the edits were due that are not answered yet; the first is on its way.
  var waiting: [Double] = []
  var retryAt = 0.0
  private(set) var socket: Int32 = -1
  /// Whether the connection is not known to stand, so that nothing was sent.
  private(set) var isConnecting = false
  /// The edit that the server has acknowledged.
  private(set) var acknowledged = 0
  private var answer: [UInt8] = []

  init(id: String) { self.id = id }

  mutating func send(to target: Endpoint) {
    if socket < 0 {
      open(target)
      return
    }
    isConnecting = false
    let body =
      "{\"id\":\"\(id)\",\"title\":\"Edit \(acknowledged + 1)\",\"body\":\"\(Workload.body(1))\","
      + "\"state\":\"doing\",\"updatedAt\":\"2025-06-01T00:00:00.\(stamp(acknowledged + 1))Z\"}"
    let text = Array(
      ("PUT \(target.path)/\(id) HTTP/1.1\r\nHost: \(target.host):\(target.port)\r\n"
        + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        .utf8)
    answer.removeAll(keepingCapacity: true)
    // It fits into the socket's buffer; where there is none, the connection is seen to be closed.
    #if canImport(Glibc)
      _ = Glibc.send(socket, text, text.count, 0)
    #else
      _ = Darwin.send(socket, text, text.count, 0)
    #endif
  }

  mutating func receive() -> Event {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(socket, &buffer, buffer.count, 0)
    if count < 0 && errno == EAGAIN { return .more }
    guard count > 0 else {
      close(socket)
      socket = -1
      return .closed
    }
    answer += buffer[..<count]
    let text = String(decoding: answer, as: UTF8.self)
    guard let head = text.firstRange(of: "\r\n\r\n") else { return .more }
    guard text.hasPrefix("HTTP/1.1 2") else {
      close(socket)
      socket = -1
      return .closed
    }
    let field = text[..<head.lowerBound].lowercased().split(separator: "\r\n")
      .first { $0.hasPrefix("content-length:") }
    let length = field.flatMap { Int($0.dropFirst(15).drop { $0 == " " }) } ?? 0
    guard text[head.upperBound...].utf8.count >= length else { return .more }
    acknowledged += 1
    return .answered
  }

  /// Begins a connection, without waiting for a server that is slow to take it.
  private mutating func open(_ target: Endpoint) {
    #if canImport(Glibc)
      let made = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let made = Darwin.socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard made >= 0 else { return }
    _ = fcntl(made, F_SETFL, fcntl(made, F_GETFL) | O_NONBLOCK)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = target.port.bigEndian
    address.sin_addr.s_addr = inet_addr(target.host)
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    var yes: Int32 = 1
    setsockopt(
      made, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(made, $0, size) }
    }
    guard code == 0 || errno == EINPROGRESS else {
      close(made)
      return
    }
    (socket, isConnecting) = (made, true)
  }

  private func stamp(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: 6 - digits.count) + digits
  }
}
