import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Asks the running service.
///
/// Every method throws `SyncError`: `.offline` when no service answers, `.notFound` and
/// `.invalidInput` for what it refuses, `.protocolViolation` for what it should not say.
struct ControlClient: Sendable {
  /// How a run ended that was waited for.
  struct Report: Sendable {
    /// The whole report, as JSON.
    let json: String
    let outcome: SyncReport.Outcome
    let message: String
  }

  /// The service's socket, an absolute path.
  let path: String
  let transport: any HTTPTransport

  /// What is asked of the service itself is answered at once, by one that is well.
  private static let promptness: Duration = .seconds(5)
  /// Longer than any run that is worth waiting for.
  private static let patience: Duration = .seconds(7 * 86_400)

  init(path: String, transport: any HTTPTransport = CurlTransport()) {
    self.path = path
    self.transport = transport
  }

  /// The object that `status --json` prints.
  func status() async throws -> String { try await text(.get, "/v1/status") }

  func requestSync(retryFailed: Bool = false) async throws {
    _ = try await text(.post, "/v1/sync", .object(["retryFailed": .bool(retryFailed)]))
  }

  /// Asks for a run and waits for it, however long it takes.
  func synchronize(retryFailed: Bool = false) async throws -> Report {
    struct Ending: Decodable {
      var outcome: String
      var message: String
    }
    let json = try await text(
      .post, "/v1/sync", .object(["wait": .bool(true), "retryFailed": .bool(retryFailed)]),
      patience: Self.patience)
    let ending = try decode(Ending.self, json)
    guard let outcome = SyncReport.Outcome(rawValue: ending.outcome) else {
      throw strange("an outcome that this version does not know: \(ending.outcome.prefix(40))")
    }
    return Report(json: json, outcome: outcome, message: ending.message)
  }

  /// - Parameter duration: how long; nil until someone resumes it.
  /// - Returns: when it resumes by itself, in RFC 3339.
  func pause(for duration: Duration? = nil) async throws -> String? {
    struct Paused: Decodable {
      var until: String?
    }
    let spelled = duration.map { "\($0.components.seconds)s" }
    let options: JSONText = spelled.map { .object(["for": .string($0)]) } ?? .object([:])
    return try decode(Paused.self, try await text(.post, "/v1/pause", options)).until
  }

  /// - Returns: the state that the service is in then.
  func resume() async throws -> String {
    struct Resumed: Decodable {
      var state: String
    }
    return try decode(Resumed.self, try await text(.post, "/v1/resume")).state
  }

  /// The records that were set aside, as a JSON array.
  func setAside() async throws -> String { try await text(.get, "/v1/set-aside") }

  func retrySetAside(_ id: String) async throws {
    _ = try await text(.post, "/v1/set-aside/\(PercentEncoding.encoded(id))/retry")
  }

  func dropSetAside(_ id: String) async throws {
    _ = try await text(.delete, "/v1/set-aside/\(PercentEncoding.encoded(id))")
  }

  /// What happens in the service, until it ends or the stream is let go of.
  ///
  /// - Parameter id: the last event that is known, to go on from there.
  func events(after id: String? = nil) -> AsyncThrowingStream<EventStreamParser.Event, any Error> {
    AsyncThrowingStream { continuation in
      let task = Task {
        do {
          try await follow(id) { continuation.yield($0) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}

extension ControlClient {
  private func request(_ method: HTTPMethod, _ target: String) -> HTTPRequest {
    HTTPRequest(method, "unix:\(path):\(target)", headers: ["Accept": "application/json"])
  }

  private func text(
    _ method: HTTPMethod, _ target: String, _ body: JSONText? = nil, patience: Duration? = nil
  ) async throws -> String {
    var request = request(method, target)
    request.idleTimeout = patience ?? Self.promptness
    if let body {
      request.body = .bytes(Array(body.description.utf8))
      request.headers.add("Content-Type", "application/json")
    }
    let response: HTTPResponse
    do {
      response = try await transport.send(request)
    } catch let error as TransportError {
      throw failure(error)
    }
    guard response.head.isSuccess else { throw refusal(response.status, response.body) }
    return String(decoding: response.body, as: UTF8.self)
  }

  private func follow(
    _ id: String?, _ body: @escaping @Sendable (EventStreamParser.Event) -> Void
  ) async throws {
    var request = request(.get, "/v1/events")
    request.headers["Accept"] = "text/event-stream"
    if let id { request.headers.add("Last-Event-ID", id) }
    request.responseLimit = .max
    request.idleTimeout = .seconds(60)
    request.isFollowed = true
    let reader = ControlEventReader()
    do {
      try await transport.stream(request) { head in
        await reader.begin(head)
      } body: { chunk in
        for event in try await reader.take(chunk) { body(event) }
      }
    } catch let error as TransportError where error.code == .truncatedBody {
      throw SyncError(.offline, "the service at \(path) has ended", underlying: error)
    } catch let error as TransportError {
      throw failure(error)
    } catch let error as EventStreamParser.TooLong {
      throw strange(error.description)
    }
    let (status, words) = await reader.refusal
    if status != 200 { throw refusal(status, words) }
  }

  // MARK: What goes wrong

  private func failure(_ error: TransportError) -> SyncError {
    switch error.code {
    case .cannotConnect:
      SyncError(
        .offline, "no service answers at \(path); start it with: syncd run", underlying: error)
    case .invalidRequest:
      SyncError(
        .configuration, "\(path) is no path of a socket that can be asked: \(error.message)",
        underlying: error)
    default:
      SyncError(
        .offline, "the service at \(path) does not answer: \(error.message)", underlying: error)
    }
  }

  private func refusal(_ status: Int, _ body: [UInt8]) -> SyncError {
    struct Words: Decodable {
      var detail: String
    }
    let words = try? JSONDecoder().decode(Words.self, from: Data(body)).detail
    let code: SyncError.Code =
      switch status {
      case 404: .notFound
      case 400, 422: .invalidInput
      case 503: .offline
      case 500: .store
      default: .protocolViolation
      }
    return SyncError(
      code, words ?? "the service at \(path) answered \(status)", status: status)
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
    do {
      return try JSONDecoder().decode(type, from: Data(json.utf8))
    } catch {
      throw strange("something else than was asked for")
    }
  }

  private func strange(_ what: String) -> SyncError {
    SyncError(
      .protocolViolation,
      "the service at \(path) answered with \(what); is it of the same version?")
  }
}

/// The events of one answer, or what was answered instead.
private actor ControlEventReader {
  private var parser = EventStreamParser(limit: 8 << 20)
  private var status = 0
  private var words: [UInt8] = []

  var refusal: (status: Int, words: [UInt8]) { (status, words) }

  func begin(_ head: HTTPResponseHead) { status = head.status }

  func take(_ chunk: [UInt8]) throws -> [EventStreamParser.Event] {
    guard status == 200 else {
      words += chunk.prefix(64 << 10 - words.count)
      return []
    }
    var events: [EventStreamParser.Event] = []
    try parser.consume(chunk) { events.append($0) }
    return events
  }
}
