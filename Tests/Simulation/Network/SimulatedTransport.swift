import SyncKit
import TestSupport

/// One device's way to the server. Unchecked: it lives on the scheduler's thread alone.
final class SimulatedTransport: HTTPTransport, @unchecked Sendable {
  private let network: Network
  private let device: Int
  private(set) var traffic = HTTPTraffic()
  /// Whether the device has crashed: nobody hears of any answer.
  var isDead = false
  /// Requests that still go out before the device crashes; and whether the last of them is carried
  /// out.
  var requestsLeft: Int?
  var lastIsCarriedOut = true
  var onCrash: () -> Void = {}
  /// What was done to this device's requests.
  private(set) var faults: Set<Fate> = []

  init(_ network: Network, device: Int) {
    (self.network, self.device) = (network, device)
  }

  func forgetFaults() { faults = [] }

  func closeIdleConnections() {}

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let (response, cut) = try await exchange(request)
    if cut { throw error(.truncatedBody, request) }
    return response
  }

  func stream(
    _ request: HTTPRequest, head: @Sendable (HTTPResponseHead) async throws -> Void,
    body: @Sendable ([UInt8]) async throws -> Void
  ) async throws {
    let (response, cut) = try await exchange(request)
    try await head(response.head)
    let bytes = response.body
    let end = cut ? Int.random(in: 0...bytes.count / 2, using: &network.draws) : bytes.count
    let middle = Int.random(in: 0...end, using: &network.draws)
    for part in [bytes[..<middle], bytes[middle..<end]] where !part.isEmpty {
      try await network.way()
      try await body(Array(part))
    }
    if cut { throw error(.truncatedBody, request) }
  }

  /// - Returns: the answer, and whether its body is to be cut.
  private func exchange(_ request: HTTPRequest) async throws -> (HTTPResponse, cut: Bool) {
    try Task.checkCancellation()
    try expectAlive(request)
    traffic.requests += 1
    network.count(from: device)
    let fate = Fate(network.weather, using: &network.draws)
    if let left = requestsLeft {
      requestsLeft = left - 1
      if left == 0 {
        if lastIsCarriedOut { network.stray(request, from: device) }
        onCrash()
        throw error(.connectionLost, request)
      }
    }
    do {
      try await network.way()
    } catch {
      // Whether it was on its way already, who gave it up cannot know.
      if Bool.random(using: &network.draws) { network.stray(request, from: device) }
      throw error
    }
    guard !network.cutOff.contains(device), !network.isServerDown else {
      faults.insert(.isLost)
      throw error(network.isServerDown ? .cannotConnect : .timedOut, request)
    }
    if fate != .goesThrough { faults.insert(fate) }
    switch fate {
    case .isLost: throw error(.connectionLost, request)
    case .isThrottled:
      let wait = Int.random(in: 0...8, using: &network.draws)
      return (refusal(429, request, ["Retry-After": "\(wait)"]), false)
    case .isRefused:
      return (refusal(Bool.random(using: &network.draws) ? 500 : 503, request), false)
    case .isDoubled: network.stray(request, from: device)
    case .goesThrough, .replyIsLost, .isCut: break
    }
    let response = await network.deliver(request, from: device)
    try await network.way()
    try expectAlive(request)
    if fate == .replyIsLost { throw error(.connectionLost, request) }
    return (response, fate == .isCut && !response.body.isEmpty)
  }

  private func expectAlive(_ request: HTTPRequest) throws {
    if isDead { throw error(.cannotConnect, request) }
  }

  private func refusal(
    _ status: Int, _ request: HTTPRequest, _ headers: HTTPHeaders = [:]
  ) -> HTTPResponse {
    HTTPResponse(
      head: HTTPResponseHead(status: status, headers: headers, url: request.url),
      body: Array("busy".utf8))
  }

  private func error(_ code: TransportError.Code, _ request: HTTPRequest) -> TransportError {
    TransportError(code, url: request.url, message: "simulated \(code)")
  }
}
