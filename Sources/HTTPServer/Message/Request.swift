/// One request, its body gathered.
package struct Request: Sendable {
  package let method: String
  package let target: RequestTarget
  /// Fields in the order they came.
  package let fields: [(name: String, value: String)]
  package var body: [UInt8] = []

  package init(
    method: String, target: RequestTarget, fields: [(name: String, value: String)],
    body: [UInt8] = []
  ) {
    (self.method, self.target, self.fields, self.body) = (method, target, fields, body)
  }

  /// A field's value, several of the same name joined by commas; nil when it is not there.
  package func field(_ name: String) -> String? {
    let values = fields.lazy.filter { Self.equal($0.name, name) }.map(\.value)
    guard let first = values.first else { return nil }
    return values.dropFirst().reduce(first) { "\($0), \($1)" }
  }

  /// The length that the request says its body has; nil when it says none.
  package var declaredLength: Int? { field("Content-Length").flatMap { Int($0) } }

  package var hasBody: Bool {
    field("Transfer-Encoding") != nil || (declaredLength ?? 0) > 0
  }

  /// Whether the client holds its body back until it hears that it is wanted.
  package var expectsContinue: Bool { field("Expect") != nil }

  /// Whether `Prefer: return=minimal` is there (RFC 7240).
  package var prefersMinimal: Bool {
    guard let prefer = field("Prefer") else { return false }
    return prefer.split(whereSeparator: { $0 == "," || $0 == ";" })
      .contains { $0.filter { $0 != " " }.lowercased() == "return=minimal" }
  }

  /// The media type of the body without its parameters, in lower case.
  package var mediaType: String? {
    guard let type = field("Content-Type")?.split(separator: ";").first else { return nil }
    return type.filter { $0 != " " }.lowercased()
  }

  private static func equal(_ lhs: String, _ rhs: String) -> Bool {
    lhs.utf8.count == rhs.utf8.count
      && zip(lhs.utf8, rhs.utf8).allSatisfy { ($0 | 0x20) == ($1 | 0x20) }
  }
}
