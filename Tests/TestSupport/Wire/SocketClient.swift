import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One connection to a server: sends bytes as they are given, reads as much as a test waits for.
///
/// Reading takes up the thread; a test that is asynchronous waits without one, since what it waits
/// for may need the pool that tasks share.
public final class SocketClient: Sendable {
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  private let descriptor: Int32

  /// Connects to a port of 127.0.0.1.
  public convenience init(port: Int) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    try self.init(family: AF_INET, &address)
  }

  /// Connects to a unix socket.
  public convenience init(file: String) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: file.utf8) }
    try self.init(family: AF_UNIX, &address)
  }

  private init<Address>(family: Int32, _ address: inout Address) throws {
    #if canImport(Glibc)
      descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(family, SOCK_STREAM, 0)
    #endif
    var timeout = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    let descriptor = descriptor
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
    guard result == 0 else {
      throw Failure(description: "cannot connect: \(String(cString: strerror(errno)))")
    }
  }

  /// Sends what the server takes; one that has closed takes nothing.
  public func send(_ text: String) {
    send(Array(text.utf8))
  }

  public func send(_ bytes: [UInt8]) {
    #if canImport(Glibc)
      let flags = Int32(MSG_NOSIGNAL)
    #else
      let flags: Int32 = 0
    #endif
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { bytes in
        #if canImport(Glibc)
          Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
        #else
          Darwin.send(descriptor, bytes.baseAddress, bytes.count, flags)
        #endif
      }
      guard count > 0 else { return }
      sent += count
    }
  }

  /// Asks for something; `Connection: close` where nothing else is said.
  public func request(
    _ method: String, _ target: String, _ headers: [String: String] = [:], body: String? = nil
  ) {
    var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
    if headers["Connection"] == nil { head += "Connection: close\r\n" }
    if let body { head += "Content-Length: \(body.utf8.count)\r\n" }
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    send(head + "\r\n" + (body ?? ""))
  }

  /// Reads until the text has come, and returns everything up to its end.
  public func read(until text: String) throws -> String {
    let end = Array(text.utf8)
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while !bytes.suffix(end.count).elementsEqual(end) {
      let count = recv(descriptor, &byte, 1, 0)
      guard count == 1 else {
        let got = String(decoding: bytes, as: UTF8.self)
        throw Failure(description: "“\(text)” did not come: “\(got)”")
      }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads until the server closes the connection.
  public func readToEnd() throws -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count == 0 || (count < 0 && errno == ECONNRESET) {
        return String(decoding: bytes, as: UTF8.self)
      }
      guard count > 0 else {
        throw Failure(description: "no end came: \(String(cString: strerror(errno)))")
      }
      bytes.append(contentsOf: buffer[..<count])
    }
  }

  public func read(until text: String) async throws -> String {
    try await Self.onOwnThread { try self.read(until: text) }
  }

  public func readToEnd() async throws -> String {
    try await Self.onOwnThread { try self.readToEnd() }
  }

  private static let queue = DispatchQueue(label: "socket clients", attributes: .concurrent)

  private static func onOwnThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try body() }) }
    }
  }

  /// Ends what this side sends, and hears no more.
  public func leave() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  deinit { close(descriptor) }
}

/// Waits until something can be seen.
///
/// - Returns: false when it has not come true within the time.
public func eventually(
  atMost time: Duration = .seconds(60), _ condition: () async throws -> Bool
) async rethrows -> Bool {
  let end = ContinuousClock.now + time
  while try await !condition() {
    if ContinuousClock.now > end || Task.isCancelled { return false }
    try? await Task.sleep(for: .milliseconds(2))
  }
  return true
}

/// What `body` makes for each number from 0 on, one after the other.
public func times<Value>(
  _ count: Int, _ body: (Int) async throws -> Value
) async rethrows -> [Value] {
  var values: [Value] = []
  for number in 0..<count { values.append(try await body(number)) }
  return values
}
