import SyncKit
import Synchronization

/// A real Kinto, started by the repository's own script; one for all tests of a process.
public struct KintoServer: Sendable {
  /// The server's root, `http://127.0.0.1:PORT/v1`.
  public let url: String
  private let process: ChildProcess

  public static let user = "alice"
  public static let password = "s3cret"

  private static let started = Mutex(Task<KintoServer, any Error>?.none)

  private static let collections = Mutex(0)

  /// The server that the tests of this process share.
  public static var shared: KintoServer {
    get async throws {
      let task = started.withLock { started in
        let task = started ?? Task { try await KintoServer() }
        started = task
        return task
      }
      return try await task.value
    }
  }

  private init() async throws {
    process = try ChildProcess(
      "/bin/bash", [Repository.path("scripts/servers/kinto.sh"), "run"],
      environment: ["LIFETIME": "1800"], lifetime: 1800)
    // The first start installs it.
    url = try await process.line(startingWith: "URL ", atMost: .seconds(300))
    let made = try await send(
      .put, "/accounts/\(Self.user)", "{\"data\":{\"password\":\"\(Self.password)\"}}")
    guard made == 201 || made == 200 else {
      throw ChildProcess.Failure(description: "Kinto gave no account: \(made)")
    }
  }

  /// Makes a collection of its own and gives the URL of its records.
  public func collection() async throws -> String {
    let number = Self.collections.withLock { number in
      number += 1
      return number
    }
    let name = "bucket\(number)"
    for path in ["/buckets/\(name)", "/buckets/\(name)/collections/projects"] {
      let status = try await send(.put, path, "{}")
      guard status == 201 || status == 200 else {
        throw ChildProcess.Failure(description: "Kinto made no \(path): \(status)")
      }
    }
    return "\(url)/buckets/\(name)/collections/projects/records"
  }

  private func send(_ method: HTTPMethod, _ path: String, _ body: String) async throws -> Int {
    var request = HTTPRequest(
      method, url + path, headers: ["Content-Type": "application/json"],
      body: .bytes(Array(body.utf8)))
    if !path.hasPrefix("/accounts") {
      let grant = try await Authorization.basic(user: Self.user, password: Self.password)
        .authorization(fresh: false)
      if let grant { request.headers.add(grant.name, grant.value) }
    }
    return try await CurlTransport().send(request).status
  }
}

/// Where this repository is.
public enum Repository {
  public static func path(_ inside: String) -> String {
    // Tests/TestSupport/Dialects/KintoServer.swift
    #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined() + "/" + inside
  }
}
