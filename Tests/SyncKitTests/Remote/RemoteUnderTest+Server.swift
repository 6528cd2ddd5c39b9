import SyncServer
import Testing

@testable import SyncKit

extension RemoteUnderTest {
  /// Every dialect before the real server, over the real transport.
  static var real: [RemoteUnderTest] {
    [RemoteOptions.Dialect.auto, .rest, .syncd].map { dialect in
      RemoteUnderTest(name: "\(dialect.rawValue) before syncd serve") { try serve(dialect) }
    }
  }

  private static func serve(_ dialect: RemoteOptions.Dialect) throws -> Instance {
    var serving = SyncServer.Options(storePath: ":memory:")
    serving.listen = "127.0.0.1:0"
    let server = try SyncServer(serving)
    let transport = CurlTransport()
    var options = RemoteOptions(url: server.url)
    options.dialect = dialect
    let remote = try makeRemote(options, transport: transport)
    let other = RESTRemote(url: server.url, transport: transport)
    return Instance(
      remote: remote,
      put: { project in
        let answer = try await transport.send(
          HTTPRequest(
            .put, other.itemURL(project.id), headers: ["Content-Type": "application/json"],
            body: .bytes(RecordEncoder().encode(project))))
        #expect(answer.head.isSuccess)
      },
      projects: {
        let ids = Array(try await other.digests().keys)
        var projects: [ProjectID: Project] = [:]
        for case .record(let record) in try await other.fetch(ids) {
          projects[record.project.id] = record.project
        }
        return projects
      },
      stop: { server.stop() })
  }
}
