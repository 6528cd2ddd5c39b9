import SyncKit
import TestSupport
import Testing

@Suite("HTTPTransport: redirects")
struct TransportRedirectTests {
  let transport = makeTransport()

  @Test(
    "GET and HEAD follow within the origin, headers and all",
    arguments: [HTTPMethod.get, .head], [301, 302, 303, 307, 308])
  func follows(method: HTTPMethod, status: Int) async throws {
    let server = try WireServer { request in
      request.path == "/a/old"
        ? .response(status, headers: ["Location": "../new/%2E?x#part"], body: "moved")
        : .response(200, body: "here")
    }
    let request = HTTPRequest(method, server.url + "/a/old", headers: ["Authorization": "secret"])
    let response = try await transport.send(request)
    #expect(response.status == 200)
    #expect(response.body == (method == .get ? Array("here".utf8) : []))
    #expect(response.head.url == server.url + "/new/%2E?x")
    #expect(server.requests.map(\.target) == ["/a/old", "/new/%2E?x"])
    #expect(server.requests.map(\.method) == [method.rawValue, method.rawValue])
    #expect(server.requests.allSatisfy { $0.headers["Authorization"] == "secret" })
    #expect(transport.traffic.requests == 2)

    server.forgetRequests()
    let collector = try await transport.collect(request)
    #expect(await collector.heads.map(\.status) == [200])
    #expect(await collector.heads.first?.url == server.url + "/new/%2E?x")
    #expect(await collector.bytes == response.body)
  }

  @Test("an absolute URL of the same origin is the same origin, however its host is written")
  func absolute() async throws {
    let gate = WireGate()
    let server = try WireServer { request in
      let host = request.headers["Host"] ?? ""
      return request.path == "/old"
        ? .redirect(to: "HTTP://\(host.uppercased())/new") : .open(gate) + .response(200)
    }
    #expect(try await transport.send(HTTPRequest(.get, server.url + "/old")).status == 200)
  }

  @Test("a write is never redirected", arguments: [HTTPMethod.put, .post, .delete])
  func writes(method: HTTPMethod) async throws {
    let server = try WireServer { _ in .redirect(301, to: "/new") }
    let response = try await transport.send(HTTPRequest(method, server.url + "/old"))
    #expect(response.status == 301)
    #expect(response.headers["Location"] == "/new")
    #expect(server.requests.count == 1)
  }

  @Test("another origin is not spoken to", arguments: ["http", "https"])
  func otherOrigin(scheme: String) async throws {
    let other = try WireServer { _ in .response(200) }
    let target =
      scheme == "http" ? other.url + "/" : "https" + other.url.dropFirst("http".count) + "/"
    let server = try WireServer { _ in .redirect(to: target) }
    let response = try await transport.send(HTTPRequest(.get, server.url))
    #expect(response.status == 302)
    #expect(response.headers["Location"] == target)
    #expect(other.connections == 0)
    let sameHost = try WireServer { request in
      .redirect(
        to: "http://localhost:\(request.headers["Host"]?.split(separator: ":").last ?? "")/")
    }
    #expect(try await transport.send(HTTPRequest(.get, sameHost.url)).status == 302)
  }

  @Test(
    "what leads nowhere comes back as it is",
    arguments: ["", "http://", "ftp://127.0.0.1/", "file:///etc/passwd", "http://[::1", "//"])
  func nowhere(location: String) async throws {
    let server = try WireServer { _ in .redirect(to: location) }
    let response = try await transport.send(HTTPRequest(.get, server.url + "/old"))
    #expect(response.status == 302)
  }

  @Test("other statuses of the kind are not followed", arguments: [300, 304, 305, 306])
  func others(status: Int) async throws {
    let server = try WireServer { _ in .redirect(status, to: "/new") }
    #expect(try await transport.send(HTTPRequest(.get, server.url)).status == status)
    #expect(server.requests.count == 1)
  }

  @Test("the eleventh redirect comes back as it is")
  func tenAtMost() async throws {
    let server = try WireServer { request in
      .redirect(to: "/\((Int(request.path.dropFirst()) ?? 0) + 1)")
    }
    let response = try await transport.send(HTTPRequest(.get, server.url + "/0"))
    #expect(response.status == 302)
    #expect(response.head.url == server.url + "/10")
    #expect(server.requests.count == 11)
  }
}
