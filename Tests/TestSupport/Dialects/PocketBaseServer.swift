import SyncKit
import Synchronization

/// A real PocketBase, started by the repository's own script; one for all tests of a process.
public struct PocketBaseServer: Sendable {
  /// The server's root, `http://127.0.0.1:PORT`.
  public let url: String
  /// A superuser's token.
  public let root: String
  /// An ordinary user's.
  public let token: String
  private let process: ChildProcess

  private static let started = Mutex(Task<PocketBaseServer, any Error>?.none)

  private static let collections = Mutex(0)
  /// The making of the last collection. Two that are made at once may lose one of them in the server's
  /// cache.
  private static let making = Mutex(Task<Void, any Error>?.none)

  /// The server that the tests of this process share.
  public static var shared: PocketBaseServer {
    get async throws {
      let task = started.withLock { started in
        let task = started ?? Task { try await PocketBaseServer() }
        started = task
        return task
      }
      return try await task.value
    }
  }

  private init() async throws {
    process = try ChildProcess(
      "/bin/bash", [Repository.path("scripts/servers/pocketbase.sh"), "run"],
      environment: ["LIFETIME": "1800"], lifetime: 1800)
    // The first start installs it.
    url = try await process.line(startingWith: "URL ", atMost: .seconds(300))
    root = try await Self.login(url, "_superusers", "root@example.com", "rootpass1234")
    _ = try await Self.send(
      .post, "\(url)/api/collections/users/records", root,
      """
      {"email":"me@example.com","password":"secret1234","passwordConfirm":"secret1234"}
      """)
    token = try await Self.login(url, "users", "me@example.com", "secret1234")
    try await allowBatches(of: 50)
  }

  /// Sets how many writes a batch may hold; 0 forbids batches.
  public func allowBatches(of count: Int) async throws {
    _ = try await Self.send(
      .patch, "\(url)/api/settings", root,
      "{\"batch\":{\"enabled\":\(count > 0),\"maxRequests\":\(max(count, 1)),\"timeout\":30}}")
  }

  /// Makes a collection of its own, for users who have logged in, and gives the URL of its records.
  ///
  /// - Parameter fields: the names of those beside `id`.
  public func collection(
    fields: [String] = ["title", "body", "state", "dueAt", "createdAt", "updatedAt", "extra"]
  ) async throws -> String {
    let number = Self.collections.withLock { number in
      number += 1
      return number
    }
    let name = "projects\(number)"
    let rule = "\"@request.auth.id != \\\"\\\"\""
    let rules = ["list", "view", "create", "update", "delete"].map { "\"\($0)Rule\":\(rule)" }
    let texts = fields.map { "{\"name\":\"\($0)\",\"type\":\"text\",\"max\":20000000}" }
    let description = """
      {"name":"\(name)","type":"base",\(rules.joined(separator: ",")),"fields":[
      {"name":"id","type":"text","primaryKey":true,"system":true,"required":true,"min":1,"max":500,
       "pattern":"^[A-Za-z0-9_-]+$"},\(texts.joined(separator: ",")),
      {"name":"updated","type":"autodate","onCreate":true,"onUpdate":true}]}
      """
    let made = Self.making.withLock { last in
      let task = Task { [last] in
        _ = try? await last?.value
        _ = try await Self.send(.post, "\(url)/api/collections", root, description)
      }
      last = task
      return task
    }
    try await made.value
    return "\(url)/api/collections/\(name)/records"
  }

  private static func login(
    _ url: String, _ collection: String, _ user: String, _ password: String
  ) async throws -> String {
    let body = try await send(
      .post, "\(url)/api/collections/\(collection)/auth-with-password", nil,
      "{\"identity\":\"\(user)\",\"password\":\"\(password)\"}")
    guard let token = JSONScanner(body).text(at: ["token"]) else {
      throw ChildProcess.Failure(description: "PocketBase gave no token to \(user)")
    }
    return token
  }

  private static func send(
    _ method: HTTPMethod, _ url: String, _ token: String?, _ body: String
  ) async throws -> [UInt8] {
    var request = HTTPRequest(
      method, url, headers: ["Content-Type": "application/json"], body: .bytes(Array(body.utf8)))
    if let token { request.headers.add("Authorization", "Bearer \(token)") }
    let response = try await CurlTransport().send(request)
    guard response.head.isSuccess else {
      throw ChildProcess.Failure(
        description: "PocketBase answered \(response.status) to \(method.rawValue) \(url): "
          + String(decoding: response.body, as: UTF8.self))
    }
    return response.body
  }
}
