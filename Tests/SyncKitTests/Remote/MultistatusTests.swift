import TestSupport
import Testing

@testable import SyncKit

/// What WebDAV says of a folder, in the ways in which servers say it, and in ways in which none may.
@Suite("A multistatus")
struct MultistatusTests {
  /// What is read of a text that comes in pieces.
  private func read(
    _ text: String, folder: String = "/dav/projects", piece: Int = 7
  ) throws -> [String] {
    var stream = MultistatusStream(folder: folder)
    var elements: [String] = []
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: piece) {
      try stream.consume(Array(bytes[start..<min(start + piece, bytes.count)])) {
        elements.append(String(decoding: $0, as: UTF8.self))
      }
    }
    _ = try stream.finish()
    return elements
  }

  private let itself = """
    <d:response><d:href>/dav/projects/</d:href><d:propstat><d:prop><d:resourcetype><d:collection/>
    </d:resourcetype></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>
    """

  private func multistatus(_ entries: String) -> String {
    "<?xml version=\"1.0\"?><d:multistatus xmlns:d=\"DAV:\">\(itself)\(entries)</d:multistatus>"
  }

  private func entry(
    _ href: String, _ properties: String = "<d:getetag>\"1\"</d:getetag>", status: Int = 200
  ) -> String {
    """
    <d:response><d:href>\(href)</d:href><d:propstat><d:prop>\(properties)</d:prop>
    <d:status>HTTP/1.1 \(status) words</d:status></d:propstat></d:response>
    """
  }

  private func refused(
    _ text: String, because reason: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect {
      _ = try read(text, piece: 4096)
    } throws: { error in
      "\(error)".contains(reason)
    }
  }

  @Test("namespaces count, and not their prefixes", arguments: ["D", "d", "lp1", "ns0", ""])
  func prefixes(_ prefix: String) throws {
    let colon = prefix.isEmpty ? "" : prefix + ":"
    let text = multistatus(entry("/dav/projects/a.json"))
      .replacing("xmlns:d=", with: prefix.isEmpty ? "xmlns=" : "xmlns:\(prefix)=")
      .replacing("<d:", with: "<\(colon)").replacing("</d:", with: "</\(colon)")
    #expect(try read(text) == [#"{"name":"a.json","etag":"\"1\""}"#])
  }

  @Test("properties of another namespace are others")
  func foreign() throws {
    let property = "<x:getetag xmlns:x=\"http://example.com/\">\"no\"</x:getetag><d:resourcetype/>"
    #expect(
      try read(multistatus(entry("/dav/projects/a.json", property))) == [#"{"name":"a.json"}"#])
  }

  @Test("entities, character references and CDATA are the text that they stand for")
  func entities() throws {
    let entry = entry(
      "/dav/projects/a&amp;b.json", "<d:getetag>&#34;x&quot;<![CDATA[<&]]></d:getetag>")
    #expect(try read(multistatus(entry), piece: 1) == [#"{"name":"a&b.json","etag":"\"x\"<&"}"#])
  }

  @Test(
    "an address is compared decoded, whether it is a path or a whole URL",
    arguments: [
      "/dav/projects/%C3%A9.json", "/dav/projects/%c3%a9.json", "/dav/projects/é.json",
      "/d%61v/projects/é.json", "http://elsewhere.example:8080/dav/projects/%C3%A9.json",
    ])
  func addresses(_ href: String) throws {
    #expect(try read(multistatus(entry(href, ""))) == [#"{"name":"é.json"}"#])
  }

  @Test("what the server did not find of an entry is not there")
  func notFound() throws {
    let both = """
      <d:response><d:href>/dav/projects/a.json</d:href>
      <d:propstat><d:prop><d:getetag>"no"</d:getetag><d:resourcetype><d:collection/></d:resourcetype></d:prop>
      <d:status>HTTP/1.1 404 Not Found</d:status></d:propstat>
      <d:propstat><d:prop><d:getlastmodified>then</d:getlastmodified>
      <d:getcontentlength>3</d:getcontentlength></d:prop>
      <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>
      """
    #expect(
      try read(multistatus(both)) == [#"{"name":"a.json","length":"3","modified":"then"}"#])
  }

  @Test(
    "folders and files of other kinds are nobody's; what could be a project's and is none is told")
  func others() throws {
    let folder = "<d:resourcetype><d:collection/></d:resourcetype>"
    let entries =
      entry("/dav/projects/sub/", folder) + entry("/dav/projects/notes.txt")
      + entry("/dav/projects/.json") + entry("/dav/projects/._a.json")
      + entry("/dav/projects/A.JSON") + entry("/dav/projects/x.json/", folder)
      + entry("/dav/projects/%FF.json", "")
      + "<d:response><d:href>/dav/projects/y.json</d:href><d:status>HTTP/1.1 403 No</d:status></d:response>"
    let read = try read(multistatus(entries))
    #expect(read.count == 3)
    #expect(read[0] == #"{"name":"x.json","fault":"a folder has the name of its file"}"#)
    #expect(read[1] == #"{"name":"%FF.json","fault":"its file's name is not UTF-8"}"#)
    #expect(read[2].contains("403 No"))
  }

  @Test("an answer that breaks off anywhere is none")
  func cut() throws {
    let whole = multistatus(entry("/dav/projects/a.json"))
    #expect(try read(whole).count == 1)
    for length in stride(from: 0, to: whole.utf8.count, by: 5) {
      #expect(throws: (any Error).self) {
        _ = try read(String(decoding: Array(whole.utf8).prefix(length), as: UTF8.self))
      }
    }
  }

  @Test("an answer that is not of this folder is none")
  func elsewhere() {
    refused("<html><body>Log in</body></html>", because: "not with DAV:multistatus")
    refused("<multistatus/>", because: "not with DAV:multistatus")
    refused("[]", because: "no XML")
    refused(multistatus(entry("/dav/others/a.json")), because: "not in the folder")
    refused(multistatus(entry("/a.json")), because: "not in the folder")
    refused(multistatus(entry("/dav/projects/sub/a.json")), because: "not in the folder")
    refused(multistatus("<d:response/>"), because: "without its href")
    refused("<d:multistatus xmlns:d=\"DAV:\"/>", because: "the folder itself is not in it")
    let file = itself.replacing("<d:collection/>", with: "")
    refused("<d:multistatus xmlns:d=\"DAV:\">\(file)</d:multistatus>", because: "it is a file")
  }

  @Test("entities of its own, depth and length without end are refused, in bounded memory")
  func hostile() {
    let laughs = (1...20).map {
      "<!ENTITY a\($0) \"\(String(repeating: "&a\($0 - 1);", count: 10))\">"
    }
    refused(
      "<!DOCTYPE d [<!ENTITY a0 \"ha\">\(laughs.joined())]><d>&a20;</d>", because: "document type")
    refused(
      "<!DOCTYPE d SYSTEM \"file:///etc/passwd\"><d/>", because: "document type")
    refused(multistatus(String(repeating: "<d:x>", count: 100_000)), because: "nested too deep")
    let long = String(repeating: "x", count: 3 << 20)
    refused(multistatus(entry("/dav/projects/\(long).json")), because: "a text of over")
    refused(multistatus("<d:response x=\"\(long)\"/>"), because: "a tag of over")
    refused(multistatus("<!--\(long)-->"), because: "a tag of over")
    refused(multistatus("&unknown;"), because: "no XML")
    refused(multistatus("") + "<more/>", because: "no XML")
  }
}
