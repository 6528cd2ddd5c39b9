import SyncKit
import Synchronization

/// A real server that does WebDAV, started by the repository's own script; one of each kind for all tests of
/// a process.
public struct WebDAVServer: Sendable {
  public enum Kind: String, Sendable, CaseIterable, CustomStringConvertible {
    case apache = "Apache"
    case nginx

    public var description: String { rawValue }
  }

  public let kind: Kind
  /// The server's root, `http://127.0.0.1:PORT`.
  public let url: String
  private let process: ChildProcess

  public static let user = "alice"
  public static let password = "s3cret"

  private static let started = Mutex([Kind: Task<WebDAVServer, any Error>]())
  private static let folders = Mutex(0)

  /// The server that the tests of this process share.
  public static func shared(_ kind: Kind) async throws -> WebDAVServer {
    let task = started.withLock { started in
      let task = started[kind] ?? Task { try await WebDAVServer(kind) }
      started[kind] = task
      return task
    }
    return try await task.value
  }

  private init(_ kind: Kind) async throws {
    self.kind = kind
    let script = "scripts/servers/\(kind.rawValue.lowercased()).sh"
    process = try ChildProcess(
      "/bin/bash", [Repository.path(script), "run"], environment: ["LIFETIME": "1800"],
      lifetime: 1800)
    // The first start installs it.
    url = try await process.line(startingWith: "URL ", atMost: .seconds(300))
  }

  /// Makes a folder of its own and gives its URL.
  public func folder() async throws -> String {
    let number = Self.folders.withLock { number in
      number += 1
      return number
    }
    let folder = "\(url)/projects\(number)"
    try await send(.makeCollection, folder + "/")
    return folder
  }

  /// Stores a file, as any other program does.
  public func put(_ text: String, at url: String) async throws {
    try await send(.put, url, text)
  }

  /// Makes a folder.
  public func makeFolder(at url: String) async throws { try await send(.makeCollection, url) }

  private func send(_ method: HTTPMethod, _ url: String, _ text: String? = nil) async throws {
    var request = HTTPRequest(method, url, body: text.map { .bytes(Array($0.utf8)) } ?? .none)
    let grant = try await Authorization.basic(user: Self.user, password: Self.password)
      .authorization(fresh: false)
    if let grant { request.headers.add(grant.name, grant.value) }
    let response = try await CurlTransport().send(request)
    guard response.head.isSuccess else {
      throw ChildProcess.Failure(
        description: "\(kind) answered \(response.status) to \(method.rawValue) \(url)")
    }
  }
}
