/// How requests are authorized: a scheme, and where its secret is kept.
public struct Authorization: CredentialSource, CustomStringConvertible, CustomReflectable {
  private enum Scheme: Sendable {
    case none
    case bearer
    case basic(user: String)
    case header(String)
  }

  private var scheme: Scheme
  private var secret: Secret

  /// No credentials.
  public static let none = Authorization(scheme: .none, secret: .text(""))

  /// `Authorization: Bearer TOKEN`. RFC 6750.
  public static func bearer(_ token: String) -> Authorization { bearer(from: .text(token)) }

  public static func bearer(from secret: Secret) -> Authorization {
    Authorization(scheme: .bearer, secret: secret)
  }

  /// `Authorization: Basic …`. RFC 7617.
  public static func basic(user: String, password: String) -> Authorization {
    basic(user: user, from: .text(password))
  }

  public static func basic(user: String, from secret: Secret) -> Authorization {
    Authorization(scheme: .basic(user: user), secret: secret)
  }

  /// A header of the service's own, such as `X-Api-Key`.
  public static func header(_ name: String, _ value: String) -> Authorization {
    header(name, from: .text(value))
  }

  public static func header(_ name: String, from secret: Secret) -> Authorization {
    Authorization(scheme: .header(name), secret: secret)
  }

  public var isRenewable: Bool {
    if case .none = scheme { false } else { secret.isRenewable }
  }

  /// Reads the secret, each time anew: the remote keeps what it was given until it is refused.
  public func authorization(fresh: Bool) async throws -> AuthorizationHeader? {
    switch scheme {
    case .none: nil
    case .bearer: AuthorizationHeader(value: "Bearer \(try await secret.reveal())")
    case .basic(let user):
      AuthorizationHeader(
        value: BasicCredentials.value(user: user, password: try await secret.reveal()))
    case .header(let name): AuthorizationHeader(name: name, value: try await secret.reveal())
    }
  }

  public var description: String {
    switch scheme {
    case .none: "no credentials"
    case .bearer: "a bearer token from \(secret)"
    case .basic: "a user and password from \(secret)"
    case .header(let name): "\(name) from \(secret)"
    }
  }

  public var customMirror: Mirror { Mirror(self, children: []) }
}
