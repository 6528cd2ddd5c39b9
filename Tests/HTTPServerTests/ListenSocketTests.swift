import TestSupport
import Testing

@testable import HTTPServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Where a service listens")
struct ListenSocketTests {
  private static func mode(_ path: String) -> UInt32 {
    var status = stat()
    return lstat(path, &status) == 0 ? UInt32(status.st_mode) & 0o777 : 0
  }

  @Test("a unix socket is its owner's alone, and so is the directory made for it")
  func rights() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("new/deep/control.sock")
    let before = umask(0)
    defer { umask(before) }
    let socket = try ListenSocket(unix: path)
    #expect(Self.mode(path) == 0o600)
    #expect(Self.mode(folder.file("new/deep")) == 0o700)
    #expect(Self.mode(folder.file("new")) == 0o700)
    #expect(socket.isLoopback)
    #expect(socket.origin() == "unix:\(path):")
    _ = try SocketClient(file: path)
    socket.close()
    #expect(!folder.exists("new/deep/control.sock"))
    #expect(try folder.names("new/deep").isEmpty)
  }

  @Test("a file that a service left behind is replaced")
  func stale() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("control.sock")
    let first = try ListenSocket(unix: path)
    ListenSocket.close(first.descriptor)
    #expect(folder.exists("control.sock"))
    let second = try ListenSocket(unix: path)
    _ = try SocketClient(file: path)
    // The first one's end is not the second one's.
    first.removeFile()
    #expect(folder.exists("control.sock"))
    second.close()
    #expect(!folder.exists("control.sock"))
  }

  @Test("a socket on which a service answers is left to it")
  func occupied() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("control.sock")
    let first = try ListenSocket(unix: path)
    defer { first.close() }
    let error = #expect(throws: ListenError.self) { _ = try ListenSocket(unix: path) }
    #expect(error?.code == .occupied)
    #expect(error?.message == "another service answers at \(path)")
    _ = try SocketClient(file: path)
    #expect(try folder.names("") == ["control.sock"])
  }

  @Test("a file that is no socket is never touched")
  func otherFiles() throws {
    let folder = try TemporaryFolder()
    try folder.write("mine", to: "control.sock")
    try folder.write("", to: "directory/x")
    symlink("nowhere", folder.file("link"))
    for name in ["control.sock", "directory", "link"] {
      let error = #expect(throws: ListenError.self) {
        _ = try ListenSocket(unix: folder.file(name))
      }
      #expect(error?.code == .address)
    }
    #expect(try folder.read("control.sock") == "mine")
    #expect(try folder.names("") == ["control.sock", "directory", "link"])
  }

  @Test("a path that no address can hold is said to be too long")
  func longPath() throws {
    let folder = try TemporaryFolder()
    let error = #expect(throws: ListenError.self) {
      _ = try ListenSocket(unix: folder.file(String(repeating: "x", count: 120)))
    }
    #expect(error?.code == .configuration)
  }

  @Test("of many that start at once, one listens and the others say so")
  func race() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("control.sock")
    let sockets = await withTaskGroup(of: ListenSocket?.self) { group in
      for _ in 0..<8 { group.addTask { try? ListenSocket(unix: path) } }
      return await group.reduce(into: [ListenSocket]()) { if let made = $1 { $0.append(made) } }
    }
    #expect(sockets.count == 1)
    _ = try SocketClient(file: path)
    for socket in sockets { socket.close() }
    #expect(try folder.names("").isEmpty)
  }

  @Test("a socket that was handed over is served, and its file stays")
  func inherited() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("control.sock")
    let given = UnixAddress.makeSocket()
    #expect(try UnixAddress(path).bind(given) == 0 && listen(given, 1) == 0)
    let socket = try ListenSocket(inherited: given)
    #expect(socket.origin() == "unix:\(path):")
    #expect(socket.isLoopback)
    socket.close()
    #expect(folder.exists("control.sock"))

    let port = try ListenSocket("127.0.0.1:0")
    let other = try ListenSocket(inherited: dup(port.descriptor))
    #expect(other.origin() == port.origin())
    #expect(other.isLoopback)
    other.close()
    port.close()
  }

  @Test("a descriptor that is no listening socket is refused")
  func notInherited() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    for descriptor in [ends[0], 9999] {
      #expect(throws: ListenError.self) { _ = try ListenSocket(inherited: descriptor) }
    }
  }
}

@Suite("Sockets of systemd")
struct InheritedSocketsTests {
  private func read(_ variables: [String: String]) throws -> [InheritedSockets.Socket] {
    try InheritedSockets(process: 42) { variables[$0] }.sockets
  }

  @Test("names come from LISTEN_FDNAMES, descriptors from 3 on")
  func names() throws {
    let sockets = try read(
      ["LISTEN_PID": "42", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "control:metrics"])
    #expect(sockets.map(\.descriptor) == [3, 4])
    #expect(sockets.map(\.name) == ["control", "metrics"])
    let inherited = try InheritedSockets(process: 42) {
      ["LISTEN_PID": "42", "LISTEN_FDS": "1"][$0]
    }
    #expect(inherited.socket(named: "control")?.descriptor == 3)
    #expect(inherited.sockets.map(\.name) == ["unknown"])
  }

  @Test("what is meant for another process says nothing")
  func others() throws {
    #expect(try read([:]).isEmpty)
    #expect(try read(["LISTEN_FDS": "1"]).isEmpty)
    #expect(try read(["LISTEN_PID": "41", "LISTEN_FDS": "1"]).isEmpty)
    #expect(try read(["LISTEN_PID": "42", "LISTEN_FDS": "0"]).isEmpty)
  }

  @Test(
    "what is meant for this process and makes no sense is an error",
    arguments: [
      ["LISTEN_PID": "x", "LISTEN_FDS": "1"], ["LISTEN_PID": "42", "LISTEN_FDS": "-1"],
      ["LISTEN_PID": "42", "LISTEN_FDS": "99999999999999999999"],
      ["LISTEN_PID": "42", "LISTEN_FDS": "5000"],
      ["LISTEN_PID": "42", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "one"],
      ["LISTEN_PID": "", "LISTEN_FDS": "1"],
    ])
  func broken(_ variables: [String: String]) {
    #expect(throws: ListenError.self) { _ = try read(variables) }
  }
}
