import HTTPServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A request to the control API whose route is known.
struct ControlRequest: Sendable {
  let request: Request
  /// What stands for `{id}` in the route's path.
  let id: String

  /// The body as these options; an empty one sets none.
  ///
  /// - Throws: `Problem` 400.
  func options<Options: Decodable>(_ type: Options.Type) throws(Problem) -> Options {
    let body = request.body.isEmpty ? Array("{}".utf8) : request.body
    guard String(validating: body, as: UTF8.self) != nil else {
      throw Problem(400, "the body is not UTF-8")
    }
    do {
      return try JSONDecoder().decode(type, from: Data(body))
    } catch DecodingError.typeMismatch(_, let context) {
      let name = context.codingPath.last?.stringValue ?? "the body"
      throw Problem(400, "\(name.prefix(40)) is of another type than it should be")
    } catch {
      throw Problem(400, "the body is not a JSON object")
    }
  }

  /// A parameter of the query that is a span of time.
  ///
  /// - Throws: `Problem` 400.
  func duration(_ name: String) throws(Problem) -> Duration? {
    guard let text = try request.target.parameter(name) else { return nil }
    return try Self.duration(text, name)
  }

  static func duration(_ text: String, _ name: String) throws(Problem) -> Duration {
    guard let duration = Duration(spelled: text) else {
      throw Problem(400, "\(name) is not a duration such as 30s, 15m, 2h or 7d")
    }
    return duration
  }
}
