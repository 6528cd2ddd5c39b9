import TestSupport
import Testing

@testable import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A server that the environment names, for `make conformance`: `SYNCD_REMOTE`, `SYNCD_DIALECT`,
/// and `SYNCD_TOKEN_FILE`, or `SYNCD_USER` and `SYNCD_PASSWORD_FILE`; `SYNCD_HEADERS` holds headers
/// as `name: value`, a line each; `SYNCD_IDS` is `remote.ids`.
///
/// Its collection must be empty: the suite fills it and empties it again, one test at a time.
extension RemoteUnderTest {
  static var external: RemoteUnderTest? {
    guard let url = variable("SYNCD_REMOTE") else { return nil }
    let dialect = variable("SYNCD_DIALECT") ?? "auto"
    return RemoteUnderTest(name: "\(dialect) before \(RemoteAddress.shown(url))") {
      var options = RemoteOptions(url: url)
      guard let word = RemoteOptions.Dialect(rawValue: dialect) else {
        throw Unusable(description: "DIALECT=\(dialect) is not known")
      }
      options.dialect = word
      if let ids = variable("SYNCD_IDS").flatMap({ IDCodec(rawValue: $0) }) { options.ids = ids }
      if let file = variable("SYNCD_TOKEN_FILE") {
        options.credentials = Authorization.bearer(from: .file(file))
      } else if let user = variable("SYNCD_USER"), let file = variable("SYNCD_PASSWORD_FILE") {
        options.credentials = Authorization.basic(user: user, from: .file(file))
      }
      for line in (variable("SYNCD_HEADERS") ?? "").split(separator: "\n") {
        let parts = line.split(separator: ":", maxSplits: 1)
        if parts.count == 2 { options.headers.add(String(parts[0]), String(parts[1]).trimmed) }
      }
      await ExternalTurn.shared.take()
      do {
        let instance = try RemoteUnderTest.instance(
          options, over: CurlTransport(),
          stop: { [options] in
            try? await empty(options)
            await ExternalTurn.shared.pass()
          })
        guard try await instance.remote.entries().isEmpty else {
          throw Unusable(
            description:
              "\(RemoteAddress.shown(url)) is not empty; the suite fills and empties it, "
              + "so give it a collection of its own")
        }
        return instance
      } catch {
        await ExternalTurn.shared.pass()
        throw error
      }
    }
  }

  private struct Unusable: Error, CustomStringConvertible {
    var description: String
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func empty(_ options: RemoteOptions) async throws {
    let remote = try makeRemote(options, transport: CurlTransport())
    for chunk in Array(try await remote.digests().values).chunks(
      of: await remote.limits.writesPerRequest)
    {
      _ = try await remote.write(chunk.map { .delete($0.id, .matches($0)) })
    }
  }
}

/// One test at a time has the server.
private actor ExternalTurn {
  static let shared = ExternalTurn()
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func take() async {
    guard isTaken else {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  func pass() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}
