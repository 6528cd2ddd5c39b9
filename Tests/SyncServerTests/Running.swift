import SyncServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A server on a port of its own, and a client of it.
struct Running: Sendable {
  let server: SyncServer
  var client: RawClient

  /// Runs `body` against a fresh server, whose store is in memory unless there is a path.
  @discardableResult
  static func with<Result>(
    path: String = ":memory:", limits: SyncServer.Limits = .init(),
    _ body: (Running) throws -> Result
  ) throws -> Result {
    var options = SyncServer.Options(storePath: path)
    options.listen = "127.0.0.1:0"
    options.limits = limits
    let server = try SyncServer(options)
    defer { server.stop() }
    return try body(Running(server: server, client: RawClient(port: port(of: server.url))))
  }

  private static func port(of url: String) -> UInt16 {
    UInt16(url.split(separator: "/")[1].split(separator: ":")[1]) ?? 0
  }

  /// Runs `body` with the path of a file that does not exist yet.
  @discardableResult
  static func withFile<Result>(_ body: (String) throws -> Result) throws -> Result {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "syncserver-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    return try body(directory.appending(path: "remote.db").path)
  }

  // MARK: Requests

  static let path = "/v1/projects"
  static let stamp = "2026-01-02T03:04:05.000006Z"

  func get(_ suffix: String = "", _ headers: [String: String] = [:]) throws -> Reply {
    try client.send("GET", Running.path + suffix, headers)
  }

  /// Puts a record whose members beside `updatedAt` are given.
  func put(
    _ id: String, _ members: String = "", _ headers: [String: String] = [:]
  ) throws -> Reply {
    let body = "{\"updatedAt\":\"\(Running.stamp)\"\(members)}"
    return try putBody(id, body, headers)
  }

  func putBody(
    _ id: String, _ body: String, _ headers: [String: String] = [:]
  ) throws -> Reply {
    let headers = headers.merging(["Content-Type": "application/json"]) { first, _ in first }
    return try client.send("PUT", "\(Running.path)/\(id)", headers, body: Array(body.utf8))
  }

  func delete(_ id: String, _ headers: [String: String] = [:]) throws -> Reply {
    try client.send("DELETE", "\(Running.path)/\(id)", headers)
  }

  func post(
    _ name: String, _ body: String, type: String = "application/x-ndjson"
  ) throws -> Reply {
    try client.send(
      "POST", "\(Running.path)/\(name)", ["Content-Type": type], body: Array(body.utf8))
  }

  func fetch(_ ids: [String]) throws -> Reply {
    let list = String(decoding: try JSONEncoder().encode(ids), as: UTF8.self)
    return try post("fetch", list, type: "application/json")
  }

  /// Every entry of the listing, over all its pages, and the number of pages.
  func listing(_ query: String = "") throws -> (entries: [Entry], pages: Int) {
    var entries: [Entry] = []
    var next: String? = Running.path + query
    var pages = 0
    while let target = next {
      let reply = try client.send("GET", target)
      entries += try JSONDecoder().decode([Entry].self, from: Data(reply.body))
      pages += 1
      next = reply["Link"].map { String($0.dropFirst().prefix { $0 != ">" }) }
    }
    return (entries, pages)
  }
}

/// What a listing says of a record.
struct Entry: Decodable, Equatable {
  var id: String
  var updatedAt: String
  var etag: String
  var title: String?
}

/// The answer of `changes`.
struct Changes: Decodable {
  struct Change: Decodable {
    var id: String
    var seq: Int
    var updatedAt: String
    var etag: String?
    var deleted: Bool
  }

  var changes: [Change]
  var next: Int
  var more: Bool
  var epoch: String
}

/// A refusal's body.
struct ProblemBody: Decodable {
  var type: String
  var title: String
  var status: Int
  var detail: String
  var maximumItems: Int?
  var maximumBytes: Int?
}

extension Reply {
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try JSONDecoder().decode(type, from: Data(body))
  }

  /// The problem in the body; throws when the answer is not one that says its own status.
  func problem() throws -> ProblemBody {
    guard self["Content-Type"] == "application/problem+json" else {
      throw ClientError(message: "no problem: \(status) \(text)")
    }
    let problem = try decode(ProblemBody.self)
    guard problem.status == status, !problem.detail.isEmpty else {
      throw ClientError(message: "a problem that is not that of the answer: \(text)")
    }
    return problem
  }
}
