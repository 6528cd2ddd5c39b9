import Dispatch
import SyncServer
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("What is acknowledged stays")
struct DurabilityTests {
  @Test("a restart keeps records, tags, tombstones, tokens and the remote's id")
  func restart() throws {
    try Running.withFile { path in
      let (listing, tag, id, changes) = try Running.with(path: path) { (server) throws in
        for number in 0..<5 { _ = try server.put("p\(number)", ",\"n\":\(number).50") }
        _ = try server.delete("p3")
        let reply = try server.get()
        return (
          reply.text, reply["ETag"], reply["Syncd-Remote-ID"],
          try server.get("/changes?since=0").text
        )
      }
      try Running.with(path: path) { (server) throws in
        let reply = try server.get()
        #expect(reply.text == listing)
        #expect(reply["ETag"] == tag)
        #expect(reply["Syncd-Remote-ID"] == id)
        #expect(try server.get("/changes?since=0").text == changes)
        #expect(try server.get("", ["If-None-Match": try #require(tag)]).status == 304)
      }
    }
  }

  #if os(Linux)
    @Test("a store that the same process opens once more keeps its locks")
    func locksStay() throws {
      try Running.withFile { path in
        try Running.with(path: path) { (server) throws in
          #expect(try server.put("a").status == 201)
          var info = stat()
          try #require(stat(path, &info) == 0)
          let file = ":\(info.st_ino) "
          func locks() throws -> Int {
            let table = String(decoding: try contents(of: "/proc/locks"), as: UTF8.self)
            return table.split(separator: "\n").count {
              $0.contains(file) && $0.contains("POSIX")
            }
          }
          let before = try locks()
          #expect(before > 0)
          for _ in 0..<2 { _ = try TokenStore(storePath: path).list() }
          #expect(try locks() >= before)
        }
      }
    }
  #endif

  @Test("a store that cannot be written to is refused when it is opened")
  func unwritable() throws {
    try Running.withFile { path in
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      let error = #expect(throws: ServerError.self) { try TokenStore(storePath: path) }
      #expect(error?.code == .store)
      #expect(error?.message.contains(path) == true, "\(error?.message ?? "")")
    }
  }

  @Test("sixteen clients at once lose nothing", arguments: [(":memory:", 100), ("", 25)])
  func concurrent(_ store: String, _ count: Int) throws {
    try Running.withFile { path in
      try Running.with(path: store.isEmpty ? path : store) { (server) throws in
        let failures = Mutex<[String]>([])
        let group = DispatchGroup()
        let queue = DispatchQueue(label: "clients", attributes: .concurrent)
        for client in 0..<16 {
          queue.async(group: group) {
            for number in 0..<count {
              do {
                let reply = try server.put("c\(client)-\(number)", ",\"n\":\(number)")
                if reply.status != 201 { failures.withLock { $0.append(reply.text) } }
                if number % 10 == 0 { _ = try server.get("?fields=id,updatedAt,etag&limit=50") }
              } catch {
                failures.withLock { $0.append("\(error)") }
              }
            }
          }
        }
        group.wait()
        #expect(failures.withLock { $0 }.isEmpty)
        let (entries, _) = try server.listing("?limit=300")
        #expect(Set(entries.map(\.id)).count == 16 * count)
        #expect(Set(entries.map(\.etag)).count == 16 * count)
      }
    }
  }

  @Test("of many that replace one version, one wins")
  func oneWins() throws {
    try Running.with { (server) throws in
      let tag = try #require(try server.put("a")["ETag"])
      let statuses = Mutex<[Int]>([])
      let group = DispatchGroup()
      let queue = DispatchQueue(label: "clients", attributes: .concurrent)
      for client in 0..<12 {
        queue.async(group: group) {
          let status = try? server.put("a", ",\"n\":\(client)", ["If-Match": tag]).status
          statuses.withLock { $0.append(status ?? 0) }
        }
      }
      group.wait()
      let sorted = statuses.withLock { $0.sorted() }
      #expect(sorted == [200] + Array(repeating: 412, count: 11))
    }
  }

  @Test("the store is for its owner alone")
  func permissions() throws {
    try Running.withFile { path in
      try Running.with(path: path) { (server) throws in
        _ = try server.put("a")
        for suffix in ["", "-wal", "-shm"] {
          var information = stat()
          #expect(stat(path + suffix, &information) == 0)
          #expect(information.st_mode & 0o777 == 0o600)
        }
      }
    }
  }

  @Test("a file that is no store of ours is refused and left as it is")
  func strangers() throws {
    try Running.withFile { path in
      let text = Array(String(repeating: "not a database, by any means. ", count: 200).utf8)
      try Data(text).write(to: URL(filePath: path))
      #expect(throws: ServerError.self) {
        try SyncServer(SyncServer.Options(storePath: path)).stop()
      }
      #expect(try contents(of: path) == text)
    }
  }

  @Test("what cannot be listened on says why")
  func addresses() throws {
    try Running.with { (server) throws in
      let port = server.client.port
      for (address, code) in [
        ("127.0.0.1:\(port)", ServerError.Code.address), ("192.0.2.1:0", .address),
        ("nowhere", .usage), ("127.0.0.1:x", .usage),
        ("127.0.0.1:99999", .usage), (":80", .usage),
      ] {
        var options = SyncServer.Options(storePath: ":memory:")
        options.listen = address
        let error = #expect(throws: ServerError.self) { try SyncServer(options).stop() }
        #expect(error?.code == code, "\(address)")
      }
    }
  }

  @Test("a certificate without its key, or a file that is none, is refused")
  func certificates() throws {
    try Running.withFile { path in
      var options = SyncServer.Options(storePath: ":memory:")
      options.listen = "127.0.0.1:0"
      options.certificate = path
      #expect(throws: ServerError.self) { try SyncServer(options).stop() }
      options.key = path
      #expect(throws: ServerError.self) { try SyncServer(options).stop() }
      try Data("-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----".utf8)
        .write(to: URL(filePath: path))
      #expect(throws: ServerError.self) { try SyncServer(options).stop() }
    }
  }

  @Test("a store that is served already is refused, with who serves it, until that one stops")
  func servedAlready() throws {
    try Running.withFile { path in
      var options = SyncServer.Options(storePath: path)
      options.listen = "127.0.0.1:0"
      let first = try SyncServer(options)
      let error = #expect(throws: ServerError.self) { try SyncServer(options).stop() }
      #expect(error?.code == .locked)
      #expect(
        error?.message.contains("process \(getpid()) serves") == true, "\(error?.message ?? "")")
      _ = try TokenStore(storePath: path).add(space: "team", access: .read)
      first.stop()
      try SyncServer(options).stop()
    }
  }

  @Test("stopping twice is stopping once, and the port is free again")
  func stopping() throws {
    let port = try Running.with { (server) throws in
      server.server.stop()
      server.server.stop()
      return server.client.port
    }
    var options = SyncServer.Options(storePath: ":memory:")
    options.listen = "127.0.0.1:\(port)"
    let again = try SyncServer(options)
    #expect(again.url == "http://127.0.0.1:\(port)/v1/projects")
    again.stop()
  }
}

func contents(of path: String) throws -> [UInt8] {
  Array(try Data(contentsOf: URL(filePath: path)))
}
