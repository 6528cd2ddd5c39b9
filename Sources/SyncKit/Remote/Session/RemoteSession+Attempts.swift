/// Whom a response's status speaks of.
enum RequestScope {
  /// The whole remote: what goes wrong is thrown.
  case collection
  /// One record: what goes wrong with it is an answer.
  case record
}

/// How a request ended that was not the end of everything.
enum Answer: Sendable {
  /// - afterTrouble: whether an earlier attempt failed, and may have been carried out all the same.
  case response(HTTPResponse, afterTrouble: Bool)
  /// The caller's check said that it must not be repeated.
  case stopped
  /// This record alone cannot be had or written; 0 where there was no response.
  case failed(status: Int, message: String)
}

/// What went wrong with one attempt, and may go right with another.
enum TransientFailure {
  case transport(TransportError)
  case status(HTTPResponse)
}

/// The state of one request's repetitions.
struct Attempts {
  /// Attempts for one record, while others are answered.
  static let ofOneRecord = 5

  var failures = 0
  /// When the first attempt failed, by `clock.elapsed`.
  var began: Duration?
  var hasRenewed = false
  var hasReadAgain = false
}

extension RemoteSession {
  /// Sends a request, again and again within the limits, until there is an answer.
  ///
  /// - Parameters:
  ///   - beforeRetry: asked before a repetition; false stops.
  ///   - exchange: one attempt.
  /// - Throws: `SyncError` for what concerns the whole remote; `CancellationError`; what `exchange`
  ///   throws beside `TransportError`.
  func answer(
    _ request: HTTPRequest, _ scope: RequestScope,
    beforeRetry: (@Sendable () async throws -> Bool)? = nil,
    exchange: (HTTPRequest) async throws -> HTTPResponse
  ) async throws -> Answer {
    var attempts = Attempts()
    var grant = try await self.grant()
    while true {
      var authorized = request
      try authorize(&authorized, grant)
      let failure: TransientFailure
      do {
        let (sent, response) = try await turns.pass {
          // Who waited for a turn may have waited while the host asked for a pause.
          try await waitForHost(request, attempts)
          return (clock.now(), try await exchange(authorized))
        }
        noteServer(of: response.head, sent: sent)
        throttle.note(response.head)
        switch response.status {
        case 408, 425, 429, 500...: failure = .status(response)
        case 300...303, 305...399: throw redirected(request, response)
        case 401, 403:
          noteSuccess()
          guard response.status == 401 || scope == .collection else {
            return .response(response, afterTrouble: attempts.failures > 0)
          }
          let renewed = attempts.hasRenewed ? nil : try await credentials.grant(after: grant)
          guard let renewed else { throw unauthorized(request, response) }
          grant = renewed
          attempts.hasRenewed = true
          continue
        default:
          noteSuccess()
          return .response(response, afterTrouble: attempts.failures > 0)
        }
      } catch let error as TransportError {
        try Task.checkCancellation()
        switch error.code {
        case .nameNotResolved, .cannotConnect, .connectionLost, .timedOut: break
        case .truncatedBody:
          if !attempts.hasReadAgain {
            attempts.hasReadAgain = true
            attempts.failures += 1
            if let beforeRetry, try await !beforeRetry() { return .stopped }
            continue
          }
          if scope == .collection { throw violation(request, error) }
        case .malformedResponse where scope == .record, .tooLarge where scope == .record:
          return .failed(status: 0, message: words(of: error))
        default: throw violation(request, error)
        }
        failure = .transport(error)
      }
      if let failed = try await wait(after: failure, of: request, scope, &attempts) {
        return failed
      }
      if let beforeRetry, try await !beforeRetry() { return .stopped }
    }
  }

  /// Waits as long as the host asked for.
  ///
  /// - Throws: `SyncError` with `.offline` when that is longer than the request may take.
  private func waitForHost(_ request: HTTPRequest, _ attempts: Attempts) async throws {
    let start = clock.elapsed()
    var hold = throttle.remaining
    while hold > .zero {
      let left = options.retryFor - (clock.elapsed() - (attempts.began ?? start))
      guard hold <= left else { throw asksToWait(request, hold) }
      try await clock.sleep(hold)
      hold = throttle.remaining
    }
  }

  /// Waits before the next attempt; an answer says that there will be none.
  private func wait(
    after failure: TransientFailure, of request: HTTPRequest, _ scope: RequestScope,
    _ attempts: inout Attempts
  ) async throws -> Answer? {
    let now = clock.elapsed()
    let began = attempts.began ?? now
    attempts.began = began
    attempts.failures += 1
    if scope == .record, attempts.failures >= Attempts.ofOneRecord, hasSucceeded(since: began) {
      return failed(failure)
    }
    let left = options.retryFor - (now - began)
    let hold = throttle.remaining
    if hold > left { throw asksToWait(request, hold) }
    guard left > .zero else {
      guard scope == .record, try await isRecordAtFault(failure, since: began) else {
        throw offline(request, failure)
      }
      return failed(failure)
    }
    let delay = clock.delay(afterAttempt: attempts.failures)
    try await clock.sleep(min(max(delay, hold), left))
    return nil
  }

  /// Whether the remote answers others, so that the fault is this record's.
  private func isRecordAtFault(
    _ failure: TransientFailure, since began: Duration
  ) async throws -> Bool {
    if hasSucceeded(since: began) { return true }
    guard case .status(let response) = failure, response.status != 429 else { return false }
    return try await peek()
  }

  /// Where no answer came that was whole, the status is 408: trouble that passes, unlike 0, which
  /// stands for an answer that cannot be used.
  private func failed(_ failure: TransientFailure) -> Answer {
    switch failure {
    case .transport(let error): .failed(status: 408, message: words(of: error))
    case .status(let response): .failed(status: response.status, message: words(of: response))
    }
  }
}
