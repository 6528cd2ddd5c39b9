import TestSupport
import Testing

@testable import syncd

@Suite("serve")
struct ServeTests {
  @Test(
    "options that are wrong are wrong usage, and make no file",
    arguments: [
      ["--listen", "foo"], ["--listen", "127.0.0.1:99999"], ["--listen", ":80"],
      ["--certificate", "/nonexistent.pem"],
    ])
  func usage(words: [String]) async throws {
    try await withTemporaryDirectory { directory in
      let outcome = await syncd(["serve", "--store", directory + "/s.db"] + words)
      #expect(outcome.code == 2)
      #expect(outcome.err.contains("See: syncd help serve"), "\(outcome.err)")
      #expect(!FileContents.exists(directory + "/s.db"))
    }
  }

  @Test("check --write says what a server makes of writes, and leaves it as it was")
  func probed() async throws {
    let tool = try Tool()
    let (server, url) = try await tool.serve()
    try await tool.run("add", "mine")
    #expect(try await tool.once(url).report.remote.appended == 1)
    let plain = try await tool.run("check", "--remote", url)
    #expect(plain.status == 0 && !plain.output.contains("ok      writes"), "\(plain.output)")
    let result = try await tool.run("check", "--write", "--remote", url)
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.contains("ok      writes      stamps come back to the microsecond"))
    #expect(!result.output.contains("fault   "), "\(result.output)")
    let later = try await tool.run("check", "--remote", url)
    #expect(later.output.contains("ago): everything held"), "\(later.output)")
    let after = try await tool.once(url).report
    #expect(after.remote.total == 0 && after.local.total == 0 && after.unchanged == 1)
    server.signal(15)
    #expect(await server.wait().status == 0)
  }

  @Test("a second server of one file exits with 75 and names the first, which goes on")
  func second() async throws {
    let tool = try Tool()
    let (first, url) = try await tool.serve()
    let store = tool.folder.file("remote.db")
    let second = try await tool.start(["serve", "--listen", "127.0.0.1:0", "--store", store]).wait()
    #expect(second.status == 75)
    #expect(second.output.isEmpty)
    #expect(second.errors.contains("process \(first.pid) serves"), "\(second.errors)")
    try await tool.run("add", "x")
    #expect(try await tool.once(url).report.remote.appended == 1)
    first.signal(9)
    _ = await first.wait()
    let (third, again) = try await tool.serve()
    let last = try await tool.once(again)
    #expect(last.status == 0 && last.report.adopted == 1, "\(last.report.message)")
    third.signal(15)
    #expect(await third.wait().status == 0)
  }
}
