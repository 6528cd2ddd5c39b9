internal import HTTPServer
internal import SyncKit

extension Request {
  /// Refuses what a web page may have sent, which reaches a server on loopback through the browser of
  /// whoever looks at the page: under a name of its own that leads here (DNS rebinding), or without
  /// being let see the answer.
  ///
  /// - Throws: `Problem` 403.
  func expectNoWebPage() throws(Problem) {
    if let host = field("Host"), !RemoteAddress.isLoopback(host.lowercased()) {
      throw Problem(
        403,
        "without a token, this server answers to the names of this machine alone: localhost, "
          + "127.0.0.1, [::1]")
    }
    let site = field("Sec-Fetch-Site") ?? "none"
    guard field("Origin") == nil, site == "none" || site == "same-origin" else {
      throw Problem(403, "without a token, this server answers no web page")
    }
  }
}
