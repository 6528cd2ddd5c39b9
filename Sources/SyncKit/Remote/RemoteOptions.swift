/// How to reach a remote, and how it spells things.
public struct RemoteOptions: Sendable {
  public enum Dialect: String, Sendable, CaseIterable {
    /// `syncd` where the remote announces it, one of the servers below where its URL or its answers
    /// show it beyond doubt, else `rest`.
    case auto
    case rest
    case syncd
    case kinto
    case couchdb
    case postgrest
    case pocketbase
    case firestore
    case webdav
  }

  /// The collection, with or without a trailing slash. `unix:/path/to.sock:/v1/projects` speaks
  /// through a socket file.
  public var url: String
  public var dialect = Dialect.auto
  public var credentials: any CredentialSource = NoCredentials()
  public var fields = RecordFields()
  /// How ids are written on the remote; `rest` and `syncd` have them as they are.
  public var ids = IDCodec.plain
  /// Added to every request.
  public var headers = HTTPHeaders()
  /// Names of the members that lead to the array of records: `["data", "items"]`; none when the
  /// listing is the array itself.
  public var listAt: [String] = []
  /// Names of the members that lead to the next page's URL or path; none to use `Link` alone.
  public var nextAt: [String] = []
  /// A query to add to the listing's URL, without the question mark.
  public var query: String?
  /// Whether credentials may go over plain http to a host that is not loopback.
  public var allowsInsecure = false
  /// Requests under way at once, 1 to 64.
  public var concurrency = 8
  /// How long transient trouble is retried before a run gives up.
  public var retryFor: Duration = .seconds(20)
  /// What `RemoteStore.conditionalWrites` said of this remote before; nil where it is not known.
  public var honoursConditions: Bool?
  /// What `RemoteStore.server` said then. Another one is asked anew.
  public var server: String?

  public init(url: String) {
    self.url = url
  }
}

extension RemoteOptions {
  /// Whether the collection is on this machine, and there without any network. False for what is no
  /// URL of a collection.
  public static func isOnThisMachine(_ url: String) -> Bool {
    (try? RemoteAddress(url))?.isLocal ?? false
  }
}

/// Where credentials come from. Their text appears in no message, log or description.
public protocol CredentialSource: Sendable {
  /// The value of a header that authorizes a request; nil where there is none.
  ///
  /// - Parameter fresh: set after the remote refused what was given before: ask the source again.
  /// - Throws: `SyncError` with `.configuration` when the source has nothing to give.
  func authorization(fresh: Bool) async throws -> AuthorizationHeader?

  /// Whether asking again may give something new.
  var isRenewable: Bool { get }
}

/// A header that authorizes a request.
public struct AuthorizationHeader: Sendable, CustomStringConvertible, CustomReflectable {
  public var name: String
  public var value: String

  public init(name: String = "Authorization", value: String) {
    self.name = name
    self.value = value
  }

  /// Never the value.
  public var description: String { "\(name): (hidden)" }

  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// No credentials at all.
public struct NoCredentials: CredentialSource {
  public init() {}

  public func authorization(fresh: Bool) async throws -> AuthorizationHeader? { nil }

  public var isRenewable: Bool { false }
}
