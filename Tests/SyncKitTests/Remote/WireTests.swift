import Testing

@testable import SyncKit

@Suite("What headers and URLs say")
struct WireTests {
  @Test(
    "the next link is found among others",
    arguments: [
      (["<https://h/p?page=2>; rel=\"next\""], "https://h/p?page=2"),
      (["</p?page=1>; rel=\"prev\", </p?page=3>; rel=\"next\""], "/p?page=3"),
      (["</p?a=1,2>; title=\"a, b; c\"; rel=next"], "/p?a=1,2"),
      (["<?page=2>;rel=\"prefetch NEXT\""], "?page=2"),
      (["<a>; rel=prev", "<b>; rel=next"], "b"),
      (["<a>; title=\"say \\\"hi\\\"\" ; REL = next"], "a"),
      (["<a>; rel=last; rel=next"], nil),
      (["<a>; rel=next; anchor=\"/other\""], nil),
      (["<a>; rel=nextish"], nil),
      ([" , <a>; rel=next ,"], "a"),
      ([], nil),
    ] as [([String], String?)])
  func links(_ values: [String], _ next: String?) {
    let link = LinkHeader(values)
    #expect(link.next == next)
    #expect(!link.isMalformed)
  }

  @Test(
    "a link header that cannot be read says so",
    arguments: ["https://h/p; rel=next", "<a; rel=next", "<a>; rel=\"next", "<a> rel=next"])
  func malformedLinks(_ value: String) {
    #expect(LinkHeader([value]).isMalformed)
  }

  @Test(
    "a relative target is resolved as RFC 3986 says",
    arguments: [
      ("?page=2", "https://h/v1/projects?page=2"), ("/x?y", "https://h/x?y"),
      ("more", "https://h/v1/more"), ("../up", "https://h/up"), ("./a/../b", "https://h/v1/b"),
      ("//other/x", "https://other/x"), ("https://H:443/x#f", "https://h/x"),
      ("", "https://h/v1/projects?limit=5"), ("/a b?c=é", "https://h/a%20b?c=%C3%A9"),
      ("?cursor=a:b/c", "https://h/v1/projects?cursor=a:b/c"),
    ])
  func resolving(_ reference: String, _ expected: String) throws {
    let base = try RemoteAddress("https://h/v1/projects?limit=5")
    #expect(base.resolving(reference)?.text == expected)
  }

  @Test(
    "what is no http URL does not resolve",
    arguments: ["mailto:a@b", "javascript:1", "ftp://h/x", "https://user:pw@h/x"])
  func notResolving(_ reference: String) throws {
    #expect(try RemoteAddress("https://h/v1").resolving(reference) == nil)
  }

  @Test(
    "a URL is made normal",
    arguments: [
      ("HTTPS://Example.COM:443/P", "https://example.com/P", true),
      ("http://h:80", "http://h/", false), ("http://h:8080/a", "http://h:8080/a", false),
      ("http://127.9.8.7:1/a", "http://127.9.8.7:1/a", true),
      ("http://[::1]:8/a", "http://[::1]:8/a", true),
      ("http://[2001:db8::1]/a", "http://[2001:db8::1]/a", false),
      ("http://localhost/a#f", "http://localhost/a", true),
      ("http://localhost.example.com/", "http://localhost.example.com/", false),
      ("http://127.0.0.1.example.com/", "http://127.0.0.1.example.com/", false),
      ("unix:/run/s.sock:/v1/projects?a=b", "unix:/run/s.sock:/v1/projects?a=b", true),
    ])
  func normal(_ text: String, _ expected: String, _ isPrivate: Bool) throws {
    let address = try RemoteAddress(text)
    #expect(address.text == expected)
    #expect(address.isPrivate == isPrivate)
  }

  @Test(
    "what is no collection's URL is refused with the reason, and without its secrets",
    arguments: [
      ("", " is not the URL of a collection: it begins with https://, http:// or unix:"),
      ("projects", "projects is not the URL of a collection: it begins with https://"),
      ("ftp://h/x", "ftp://h/x is not the URL of a collection: it begins with https://"),
      ("user:secret@h/x", "(hidden)@h/x is not the URL of a collection: it begins with https://"),
      ("https://", "https:// is not the URL of a collection: it names no host"),
      (
        "https://user:secret@h/x?key=secret",
        "https://(hidden)@h/x is not the URL of a collection: it holds a user or a password"
      ),
      (
        "https://user:a/secret?@h/x",
        "https://(hidden)@h/x is not the URL of a collection: it holds"
      ),
      (
        "http://h:99999/",
        "http://h:99999/ is not the URL of a collection: h:99999 cannot be a host and a port"
      ),
      (
        "http://h:x/", "http://h:x/ is not the URL of a collection: h:x cannot be a host and a port"
      ),
      (
        "unix:relative:/x",
        "unix:relative:/x is not the URL of a collection: it has the form unix:/"
      ),
    ])
  func refused(_ text: String, _ message: String) {
    let error = #expect(throws: SyncError.self) { try RemoteAddress(text) }
    #expect(error?.code == .configuration)
    #expect(error?.message.contains("secret") == false)
    #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
  }

  @Test(
    "an id becomes one segment",
    arguments: [
      ("a.b~c_d-e", "a.b~c_d-e"), (".", "%2E"), ("..", "%2E%2E"), ("...", "..."),
      ("%2e%2e", "%252e%252e"), ("a/b", "a%2Fb"), ("é", "%C3%A9"),
      ("a+b@c:d;e&f=g", "a%2Bb%40c%3Ad%3Be%26f%3Dg"),
    ])
  func segments(_ id: String, _ segment: String) {
    #expect(ProjectID(trusted: id).pathSegment == segment)
  }

  @Test("an item's URL is the same with and without the collection's trailing slash")
  func items() throws {
    for url in ["https://h/v1/projects", "https://h/v1/projects/", "https://h/v1/projects//"] {
      #expect(try RemoteAddress(url).itemParts == ("https://h/v1/projects/", ""))
    }
    #expect(try RemoteAddress("https://h?a=b").itemParts == ("https://h/", "?a=b"))
  }

  @Test(
    "Retry-After is read in both forms and kept within an hour",
    arguments: [
      ("5", 5), (" 5 ", 5), ("0", 0), ("99999999", 3600), ("99999999999999999999", 3600),
      ("-1", nil), ("1.5", nil), ("", nil), ("soon", nil),
      ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sunday, 06-Nov-94 08:49:47 GMT", 10),
      ("Sun Nov  6 08:49:47 1994", 10), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
      ("Sun, 06 Nov 2094 08:49:47 GMT", 3600), ("Sun, 36 Nov 1994 08:49:47 GMT", nil),
    ] as [(String, Int?)])
  func retryAfter(_ value: String, _ seconds: Int?) throws {
    let now = try #require(Timestamp(rfc3339: "1994-11-06T08:49:37Z"))
    #expect(RetryAfter.delay(value, now: now) == seconds.map { .seconds($0) })
  }

  @Test(
    "a total is read from either header",
    arguments: [
      ("items 0-24/300", 300), ("0-24/300", 300), ("0-24/*", nil), ("*/0", 0), ("nonsense", nil),
    ] as [(String, Int?)])
  func totals(_ range: String, _ total: Int?) {
    #expect(StatedTotal.of(["Content-Range": range]) == total)
    #expect(StatedTotal.of(["X-Total-Count": "7", "Content-Range": range]) == 7)
  }

  @Test(
    "the server's words are found, cut and stripped",
    arguments: [
      ("{\"title\":\"Bad\",\"detail\":\"no\\nsuch\\tfield\"}", "no such field"),
      ("{\"error\":{\"message\":\"inner\"}}", "inner"), ("{\"error\":\"flat\"}", "flat"),
      ("{\"message\":7,\"title\":\"t\"}", "t"), ("  plain\r\n words ", "plain words"),
      ("<html>", "an HTML page"), ("", ""),
      (String(repeating: "x", count: 500), String(repeating: "x", count: 200) + "…"),
    ])
  func words(_ body: String, _ expected: String) {
    #expect(
      ServerWords.of(Array(body.utf8), mediaType: nil, hiding: Redaction()) == expected)
  }

  @Test("a secret is hidden wherever it is repeated, whole or in part")
  func redaction() {
    var redaction = Redaction()
    redaction.hide(AuthorizationHeader(value: "Bearer s3cr3t"))
    redaction.hide(
      AuthorizationHeader(value: BasicCredentials.value(user: "me", password: "pä:ss")))
    let text = redaction.applied(
      to:
        "got Bearer s3cr3t, s3cr3t and pä:ss, \(BasicCredentials.value(user: "me", password: "pä:ss"))"
    )
    #expect(text == "got (hidden), (hidden) and (hidden), (hidden)")
  }

  @Test("an entity tag is sent as it came, in quotes, and never a weak one")
  func entityTags() {
    #expect(EntityTag(strong: "\"5\"")?.text == "\"5\"")
    #expect(EntityTag(strong: "5")?.text == "\"5\"")
    #expect(EntityTag(strong: "W/\"5\"") == nil)
    #expect(EntityTag(strong: "") == nil)
    #expect(EntityTag(strong: "a\nb") == nil)
    #expect(EntityTag(strong: "\"5-gzip\"")?.withoutEncoding?.text == "\"5\"")
    #expect(EntityTag(strong: "\"5\"")?.withoutEncoding == nil)
  }

  @Test("capabilities are read whatever separates them")
  func capabilities() {
    let read = Capabilities(["Syncd-Capabilities": "1; batch=1000, fetch=50;bytes=9, changes"])
    #expect(read?.batch == 1000)
    #expect(read?.fetch == 50)
    #expect(read?.bytes == 9)
    #expect(read?.hasChanges == true)
    #expect(Capabilities(["Syncd-Capabilities": "batch=1"]) == nil)
    #expect(Capabilities(["Syncd-Capabilities": "2; batch=1"]) == nil)
    #expect(Capabilities(["Syncd-Capabilities": "1; batch=0"])?.batch == Capabilities().batch)
  }
}
