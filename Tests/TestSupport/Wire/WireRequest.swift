public import SyncKit

/// A request as it came over the wire.
public struct WireRequest: Sendable {
  public var method: String
  /// What stood in the request line, untouched: `/v1/projects/%2E?x=1`.
  public var target: String
  /// `HTTP/1.1`.
  public var version: String
  public var headers: HTTPHeaders
  /// Without the framing of chunks.
  public var body: [UInt8] = []
  /// Whether the body came in chunks.
  public var isChunked = false
  /// Bytes of the whole request: head, body and framing.
  public var wireBytes = 0
  /// Counts the server's connections from 1.
  public var connection: Int
  /// Counts the server's requests from 1, in the order in which their heads came.
  public var number: Int

  /// The target up to the question mark.
  public var path: String { String(target.prefix { $0 != "?" }) }

  /// The parameters of the query as they were written, percent-encoding and all.
  public var query: [String: String] {
    guard let mark = target.firstIndex(of: "?") else { return [:] }
    var query: [String: String] = [:]
    for pair in target[target.index(after: mark)...].split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      query[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
    }
    return query
  }

  public var text: String { String(decoding: body, as: UTF8.self) }

  /// Whether the method may change something on the server.
  public var isWrite: Bool { !["GET", "HEAD", "PROPFIND"].contains(method) }
}
