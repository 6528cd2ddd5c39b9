import SyncKit
import TestSupport
import Testing

@Suite("HTTPTransport: requests")
struct TransportRequestTests {
  let transport = makeTransport()

  @Test(
    "method, target, headers and body arrive as they were given",
    arguments: [
      (HTTPMethod.get, HTTPRequest.Body.none, ""), (.head, .none, ""), (.delete, .none, ""),
      (.put, .bytes(Array("{}".utf8)), "{}"), (.post, .bytes(Array("[]".utf8)), "[]"),
      (.put, .none, ""), (.post, .none, ""), (.put, .bytes([]), ""),
      (.delete, .bytes(Array("x".utf8)), "x"),
    ])
  func arrives(method: HTTPMethod, body: HTTPRequest.Body, text: String) async throws {
    let server = try WireServer { _ in .response(200) }
    let headers: HTTPHeaders = ["If-Match": "\"5\"", "User-Agent": "syncd/1"]
    let response = try await transport.send(
      HTTPRequest(method, server.url + "/v1/projects/a?b=c&d", headers: headers, body: body))
    #expect(response.status == 200)
    let request = try #require(server.requests.first)
    #expect(request.method == method.rawValue)
    #expect(request.target == "/v1/projects/a?b=c&d")
    #expect(request.headers["If-Match"] == "\"5\"")
    #expect(request.headers.values("User-Agent") == ["syncd/1"])
    #expect(request.text == text)
    if method == .put || method == .post {
      #expect(request.headers["Content-Length"] == "\(text.utf8.count)")
    }
  }

  @Test("nothing surprising is added", arguments: [HTTPMethod.get, .put, .post, .delete])
  func addsNothing(method: HTTPMethod) async throws {
    let server = try WireServer { _ in .response(204) }
    let body = method == .get ? HTTPRequest.Body.none : .bytes(pattern(2_000_000))
    _ = try await transport.send(HTTPRequest(method, server.url + "/", body: body))
    let names = try #require(server.requests.first).headers.fields.map { $0.name.lowercased() }
    let expected: Set = ["host", "accept", "accept-encoding", "content-length"]
    #expect(Set(names).subtracting(expected).isEmpty, "\(names)")
  }

  @Test("one handle serves methods and bodies of every kind in turn")
  func mixes() async throws {
    let transport = makeTransport { $0.concurrency = 1 }
    let server = try WireServer { request in
      .response(200, headers: ["Method": request.method], body: "\(request.body.count)")
    }
    let bodies: [HTTPRequest.Body] = [
      .none, .bytes(pattern(300)), .bytes(pattern(100_000)), .bytes([]), .bytes(pattern(7)),
    ]
    let counts = [0, 300, 100_000, 0, 7]
    for method in [HTTPMethod.put, .head, .post, .get, .delete, .head, .head, .put, .get] {
      for (body, count) in zip(bodies, counts) where method != .head || count == 0 {
        let response = try await transport.send(HTTPRequest(method, server.url + "/", body: body))
        #expect(response.headers["Method"] == method.rawValue)
        if method != .head { #expect(response.body == Array("\(count)".utf8), "\(method)") }
      }
    }
    #expect(server.connections == 1)
  }

  @Test(
    "a path goes out byte for byte",
    arguments: [
      "/v1/projects/%2E", "/v1/projects/%2E%2E", "/v1/projects/%2e%2e/x", "/a/../b/./c", "//a//b",
      "/a%2Fb", "/a%252Fb", "/%C3%A9", "/e%CC%81", "/a;b@c:d+e,f", "/?a=/../b", "/x?",
    ])
  func path(_ target: String) async throws {
    let server = try WireServer { _ in .response(200) }
    _ = try await transport.send(HTTPRequest(.get, server.url + target))
    #expect(server.requests.map(\.target) == [target])
  }

  @Test("empty and repeated header fields are sent")
  func headers() async throws {
    let server = try WireServer { _ in .response(200) }
    var headers: HTTPHeaders = ["X-Empty": "", "X-Text": "a: b; c"]
    headers.add("X-Many", "1")
    headers.add("X-Many", "2")
    for index in 0..<100 { headers.add("X-\(index)", String(repeating: "v", count: 50)) }
    _ = try await transport.send(HTTPRequest(.get, server.url, headers: headers))
    let request = try #require(server.requests.first)
    #expect(request.headers["X-Empty"] == "")
    #expect(request.headers["X-Text"] == "a: b; c")
    #expect(request.headers.values("X-Many") == ["1", "2"])
    #expect(request.headers["X-99"]?.count == 50)
  }

  @Test(
    "what cannot be a request is not sent",
    arguments: [
      "", "http://", "http://a b/", "http://127.0.0.1/\0", "http://127.0.0.1/\r\nX: y",
      "file:///etc/passwd", "ftp://127.0.0.1/", "unix:/tmp/only-a-socket",
      "http://127.0.0.1:99999/",
    ])
  func badURL(_ url: String) async throws {
    let error = try await transportError { _ = try await transport.send(HTTPRequest(.get, url)) }
    #expect(error.code == .invalidRequest, "\(error)")
  }

  @Test(
    "a header field cannot smuggle another in",
    arguments: [
      ("A", "b\r\nC: d"), ("A", "b\nC: d"), ("A", "\0"), ("A\r\nB", "c"), ("A:", ""), ("", "x"),
    ])
  func badHeader(name: String, value: String) async throws {
    let server = try WireServer { _ in .response(200) }
    var headers = HTTPHeaders()
    headers.add(name, value)
    let request = HTTPRequest(.get, server.url, headers: headers)
    let error = try await transportError { _ = try await transport.send(request) }
    #expect(error.code == .invalidRequest)
    #expect(server.requests.isEmpty)
  }

  @Test("many at once share few connections, and none is lost")
  func shares() async throws {
    let transport = makeTransport { $0.concurrency = 4 }
    let server = try WireServer { request in .response(200, body: request.path) }
    try await withThrowingTaskGroup(of: (String, [UInt8]).self) { group in
      for index in 0..<500 {
        group.addTask {
          let request = HTTPRequest(.put, server.url + "/\(index)", body: .bytes([1]))
          return ("/\(index)", try await transport.send(request).body)
        }
      }
      for try await (path, body) in group { #expect(body == Array(path.utf8)) }
    }
    #expect(server.requests.count == 500)
    #expect(server.connections <= 4)
  }

  @Test("requests after one another use one connection")
  func reuses() async throws {
    let server = try WireServer { _ in .response(200, body: "x") }
    for _ in 0..<20 { _ = try await transport.send(HTTPRequest(.get, server.url)) }
    #expect(server.connections == 1)
  }

  @Test("a socket file is spoken to", arguments: [HTTPMethod.get, .put])
  func socketFile(method: HTTPMethod) async throws {
    let path = "/tmp/syncd-wire-\(UInt64.random(in: 0 ..< .max)).sock"
    let server = try WireServer(file: path) { request in
      request.path == "/old" ? .redirect(to: "/v1/projects/%2E") : .response(200, body: "here")
    }
    let url = server.url + "/v1/projects/%2E"
    let response = try await transport.send(HTTPRequest(method, url))
    #expect(response.body == Array("here".utf8))
    #expect(response.head.url == url)
    let request = try #require(server.requests.first)
    #expect(request.target == "/v1/projects/%2E")
    #expect(request.headers["Host"] == "localhost")
    let redirected = try await transport.send(HTTPRequest(.get, server.url + "/old"))
    #expect(redirected.head.url == url)

    let tcp = try WireServer { _ in .response(201) }
    #expect(try await transport.send(HTTPRequest(method, tcp.url)).status == 201)
  }
}
