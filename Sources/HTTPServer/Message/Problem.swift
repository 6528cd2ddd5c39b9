internal import SyncCore

/// A refusal: the body of RFC 9457, `application/problem+json`.
package struct Problem: Error, Sendable {
  package var status: Int
  /// For people, about this one case; no contents of projects.
  package var detail: String
  package var headers: [(name: String, value: String)] = []
  /// Extension members that are numbers: limits.
  package var numbers: [(name: StaticString, value: Int)] = []

  package init(_ status: Int, _ detail: String) {
    self.status = status
    self.detail = detail
  }

  package func adding(_ name: String, _ value: String) -> Problem {
    var problem = self
    problem.headers.append((name, value))
    return problem
  }

  package func adding(_ name: StaticString, _ value: Int) -> Problem {
    var problem = self
    problem.numbers.append((name, value))
    return problem
  }

  package var title: String {
    switch status {
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 409: "Conflict"
    case 410: "Gone"
    case 411: "Length Required"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 422: "Unprocessable Content"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    case 507: "Insufficient Storage"
    default: "Internal Server Error"
    }
  }

  package var response: Response {
    var body: [UInt8] = []
    body.append(json: "{")
    body.appendMember("type", string: "about:blank", first: true)
    body.appendMember("title", string: title)
    body.appendMember("status", raw: String(status))
    body.appendMember("detail", string: detail)
    for number in numbers { body.appendMember(number.name, raw: String(number.value)) }
    body.append(json: "}")
    var response = Response(status, type: "application/problem+json", body: body)
    response.headers.append(contentsOf: headers)
    return response
  }
}

extension Problem {
  package static func wrongMethod(_ method: String, allowed: String) -> Problem {
    Problem(405, "this resource does not know the method \(method.prefix(20))")
      .adding("Allow", allowed)
  }

  package static func bodyTooLarge(limit: Int) -> Problem {
    Problem(413, "the body is larger than \(limit) bytes").adding("maximumBytes", limit)
  }
}
