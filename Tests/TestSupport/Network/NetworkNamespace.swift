#if os(Linux)
  import Glibc
  import SyncKit
  import Synchronization

  /// A network of a test's own: no link but loopback, which is down. It goes with the last thread and
  /// descriptor that use it.
  public final class NetworkNamespace: Sendable {
    private let descriptor: Int32

    /// Whether this kernel and this user may make one, and `ip` is there to change it.
    public static func isAvailable() async -> Bool {
      guard let namespace = try? await NetworkNamespace() else { return false }
      return (try? await namespace.ip("link", "set", "lo", "up")) != nil
    }

    public init() async throws {
      descriptor = try await Self.onThread {
        guard call("unshare", newNetwork) == 0 else { throw refusal("unshare") }
        let descriptor = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw refusal("/proc/thread-self/ns/net") }
        return descriptor
      }
    }

    deinit { close(descriptor) }

    /// Runs `body` on a thread that is inside.
    public func inside<Value: Sendable>(
      _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
      try await Self.onThread { [self] in
        guard call("setns", descriptor, newNetwork) == 0 else { throw refusal("setns") }
        return try body()
      }
    }

    /// Runs `ip` inside.
    public func ip(_ arguments: String..., input: String = "") async throws {
      try await ip(arguments, input: input)
    }

    /// Runs `ip` inside.
    public func ip(_ arguments: [String], input: String = "") async throws {
      let path = access("/usr/sbin/ip", X_OK) == 0 ? "/usr/sbin/ip" : "/sbin/ip"
      let child = try await inside { try ChildProcess(path, arguments, input: input) }
      let result = await child.wait()
      guard result.status == 0 else {
        throw ChildProcess.Failure(description: "ip \(arguments): \(result.errors)")
      }
    }

    /// How many sockets listen to the kernel here.
    public func listeners() async throws -> Int {
      let table = try await inside {
        var text: [UInt8] = []
        let descriptor = open("/proc/thread-self/net/netlink", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw refusal("/proc/thread-self/net/netlink") }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
          text += buffer[..<count]
        }
        return String(decoding: text, as: UTF8.self)
      }
      // Address of the socket, protocol, port, groups.
      return table.split(separator: "\n").filter { line in
        let words = line.split(separator: " ")
        return words.count > 3 && words[1] == "0" && UInt64(words[3], radix: 16) ?? 0 != 0
      }.count
    }

    private static func onThread<Value: Sendable>(
      _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
      try await withCheckedThrowingContinuation { continuation in
        let isStarted = DedicatedThread.start {
          continuation.resume(with: Result { try body() })
        }
        if !isStarted { continuation.resume(throwing: refusal("thread")) }
      }
    }
  }

  /// `CLONE_NEWNET`.
  private let newNetwork: Int32 = 0x4000_0000

  private func refusal(_ what: String) -> ChildProcess.Failure {
    ChildProcess.Failure(description: "\(what): \(String(cString: strerror(errno)))")
  }

  /// Calls a function that the Glibc module leaves out.
  private func call(_ name: String, _ argument: Int32) -> Int32 {
    guard let symbol = dlsym(nil, name) else { return -1 }
    typealias Function = @convention(c) (Int32) -> Int32
    return unsafeBitCast(symbol, to: Function.self)(argument)
  }

  private func call(_ name: String, _ first: Int32, _ second: Int32) -> Int32 {
    guard let symbol = dlsym(nil, name) else { return -1 }
    typealias Function = @convention(c) (Int32, Int32) -> Int32
    return unsafeBitCast(symbol, to: Function.self)(first, second)
  }
#endif
