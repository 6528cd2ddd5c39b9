/// One request on its way, redirects included.
///
/// Unchecked because its variables change hands with the queue's lock: they are set before the
/// transfer is posted, and from then on only the loop's thread touches them.
final class CurlTransfer: @unchecked Sendable {
  enum Sink {
    case none
    case whole(CheckedContinuation<HTTPResponse, any Error>)
    case parts(CurlMailbox)
  }

  let request: HTTPRequest
  var sink = Sink.none
  var upload: CurlUpload?

  /// Differs from the request's after a redirect.
  var url: String
  var redirects = 0
  var isCancelled = false
  /// The handle that carries it out; nil before and after.
  var handle: CurlHandle?

  init(_ request: HTTPRequest) {
    self.request = request
    url = request.url
  }

  func succeed(_ response: HTTPResponse) {
    switch sink {
    case .none: break
    case .whole(let continuation): continuation.resume(returning: response)
    case .parts(let mailbox): mailbox.finish(nil)
    }
    sink = .none
  }

  func fail(_ error: any Error) {
    switch sink {
    case .none: break
    case .whole(let continuation): continuation.resume(throwing: error)
    case .parts(let mailbox): mailbox.finish(error)
    }
    sink = .none
  }

  func error(
    _ code: TransportError.Code, _ message: String, bytesReceived: Int64 = 0
  ) -> TransportError {
    TransportError(
      code, url: CurlURL.withoutUserinfo(url), message: message, bytesReceived: bytesReceived)
  }
}
