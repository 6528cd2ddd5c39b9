import SyncKit
import Synchronization
import TestSupport
import Testing

/// The real binary against a real PocketBase, which knows no conditions and takes whoever has a bad
/// token for anybody.
@Suite("syncd and PocketBase")
struct PocketBaseTests {
  /// A world, and the token that its devices are configured with.
  private func world() async throws -> (RealServer, token: Token) {
    let server = try await PocketBaseServer.shared
    let token = Token(server.token)
    let world = try RealServer(try await server.collection(), restRequests: 4) { tool in
      guard let text = token.text else { return "" }
      try tool.folder.write(text, to: "token")
      return "auth: { bearer: { file: \"\(tool.folder.file("token"))\" } }"
    }
    return (world, token)
  }

  private final class Token: Sendable {
    private let value: Mutex<String?>

    init(_ text: String) { value = Mutex(text) }

    var text: String? {
      get { value.withLock { $0 } }
      set { value.withLock { $0 = newValue } }
    }
  }

  @Test("2,000 projects and kill -9 in between: both ends are equal, then at rest")
  func thousands() async throws {
    let (world, _) = try await world()
    try await world.fill(2000, #""effort":1.50,"big":12345678901234567890"#)
    try await world.expectThousandsToConverge(
      kills: [(5, true), (8, false), (13, true)], lastKill: 7)
  }

  @Test("a token that is bad, or is not there, deletes nothing: 77, and 3")
  func strangers() async throws {
    let (world, token) = try await world()
    try await world.fill(20)
    #expect(try await world.tool.once(world.proxy.url).status == 0)
    let good = token.text
    for (bad, status) in [("x.y.z", 77), (nil, 3)] as [(String?, Int32)] {
      token.text = bad
      try world.configure(world.tool)
      #expect(try await world.tool.once(world.proxy.url).status == status)
    }
    #expect(try await world.tool.titles().count == 20)
    token.text = good
    try world.configure(world.tool)
    try await world.expectAtRest(world.tool)
  }
}
