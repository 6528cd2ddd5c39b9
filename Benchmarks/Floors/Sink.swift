internal import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `sink STORE ADDRESS`: the other side of the floors. One connection at a time: a GET
/// is answered 304, the lines of a POST go into a table as they come, in one transaction.
struct Sink {
  private let inserter: LineInserter
  private let listener: Int32

  static func run(_ words: [String]) throws {
    guard words.count == 2 else { throw BenchError("usage: sink STORE ADDRESS") }
    signal(SIGPIPE, SIG_IGN)
    let sink = try Sink(store: words[0], address: words[1])
    while true { try sink.serveOne() }
  }

  private init(store: String, address host: String) throws {
    inserter = try LineInserter(store)
    listener = socket(AF_INET, Self.stream, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr(host)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let port = try withUnsafeMutablePointer(to: &address) { pointer in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        guard bind(listener, $0, size) == 0, listen(listener, 8) == 0,
          getsockname(listener, $0, &size) == 0
        else { throw BenchError("no socket: \(Files.lastError)") }
      }
      return UInt16(bigEndian: pointer.pointee.sin_port)
    }
    print("listening on http://\(host):\(port)/v1/projects")
    fflush(nil)
  }

  private func serveOne() throws {
    let connection = accept(listener, nil, nil)
    guard connection >= 0 else { return }
    defer { close(connection) }
    var reader = SocketReader(connection)
    guard let head = reader.head() else { return }
    guard head.hasPrefix("POST ") else {
      return Self.answer(connection, "304 Not Modified")
    }
    guard head.lowercased().contains("transfer-encoding: chunked") else {
      return Self.answer(connection, "411 Length Required")
    }
    try inserter.begin()
    var isWhole = false
    while let chunk = reader.chunk() {
      if chunk.isEmpty {
        isWhole = true
        break
      }
      try inserter.take(chunk)
    }
    guard isWhole else { return try inserter.rollBack() }
    try inserter.commit()
    Self.answer(connection, "200 OK")
  }

  private static func answer(_ connection: Int32, _ status: String) {
    let text = Array("HTTP/1.1 \(status)\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".utf8)
    _ = send(connection, text, text.count, 0)
  }

  #if canImport(Glibc)
    private static let stream = Int32(SOCK_STREAM.rawValue)
  #else
    private static let stream = SOCK_STREAM
  #endif
}

/// Reads the head and the chunks (RFC 9112, 7.1) of one request.
private struct SocketReader {
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var used = 0
  private var block = [UInt8](repeating: 0, count: 256 << 10)

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// The head up to its empty line; nil when the connection ends before.
  mutating func head() -> String? {
    var lines: [String] = []
    while let line = line() {
      if line.isEmpty { return lines.joined(separator: "\n") }
      lines.append(line)
    }
    return nil
  }

  /// The next chunk, empty for the last one; nil when the connection ends before.
  mutating func chunk() -> ArraySlice<UInt8>? {
    guard let size = line().flatMap({ Int($0, radix: 16) }) else { return nil }
    while buffer.count - used < size + 2 {
      guard receive() else { return nil }
    }
    defer { used += size + 2 }
    return buffer[used..<used + size]
  }

  private mutating func line() -> String? {
    while true {
      if let end = buffer[used...].firstIndex(of: 0x0A) {
        defer { used = end + 1 }
        return String(decoding: buffer[used..<end - 1], as: UTF8.self)
      }
      guard receive() else { return nil }
    }
  }

  private mutating func receive() -> Bool {
    buffer.removeFirst(used)
    used = 0
    let count = recv(descriptor, &block, block.count, 0)
    guard count > 0 else { return false }
    buffer += block[..<count]
    return true
  }
}

/// Puts lines of JSON into a table, and takes out the ids of lines that delete.
private final class LineInserter {
  private let store: Connection
  private let insert: OpaquePointer
  private let delete: OpaquePointer
  private var rest: [UInt8] = []

  init(_ path: String) throws {
    store = try Connection(path)
    try store.execute(
      """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE IF NOT EXISTS projects(id TEXT PRIMARY KEY, title TEXT, body TEXT, state TEXT,
        due_at TEXT, created_at TEXT, updated_at TEXT) STRICT;
      """)
    let values = ["id", "title", "body", "state", "dueAt", "createdAt", "updatedAt"]
      .map { "?1 ->> '$.\($0)'" }.joined(separator: ", ")
    insert = try store.prepare("INSERT OR REPLACE INTO projects VALUES(\(values))")
    delete = try store.prepare("DELETE FROM projects WHERE id = ?1 ->> '$.delete'")
  }

  deinit { for statement in [insert, delete] { sqlite3_finalize(statement) } }

  func begin() throws { try store.execute("BEGIN IMMEDIATE") }
  func commit() throws { try store.execute("COMMIT") }

  func rollBack() throws {
    rest = []
    try store.execute("ROLLBACK")
  }

  func take(_ chunk: ArraySlice<UInt8>) throws {
    rest += chunk
    var start = 0
    while let end = rest[start...].firstIndex(of: 0x0A) {
      try run(rest[start..<end])
      start = end + 1
    }
    rest.removeFirst(start)
  }

  private func run(_ line: ArraySlice<UInt8>) throws {
    let isDelete = line.count > 2 && line[line.startIndex + 2] == UInt8(ascii: "d")
    let statement = isDelete ? delete : insert
    line.withUnsafeBytes { bytes in
      _ = syncd_sqlite3_bind_text(
        statement, 1, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
    }
    try store.run(statement)
  }
}
