import SyncKit

/// Everything that can be configured, with the defaults of what is not.
struct Configuration: Sendable {
  /// The file it was read from; nil when there was none.
  var file: String?
  var store = ""
  var remote = Remote()
  var direction = Direction.push
  var deletions = DeletionPolicy.propagate
  var conflicts = ConflictPolicy.newest
  var guards = Guards()
  var service = Service()
  var hooks = Hooks()
  var historyKeep = Duration.seconds(90 * 86_400)
  var log = Log()

  /// The remote, and how to reach it.
  struct Remote: Sendable {
    var url: String?
    var dialect = RemoteOptions.Dialect.auto
    var authorization: Authorization?
    var fields = RecordFields()
    var ids = IDCodec.plain
    var headers: [Header] = []
    var listAt: [String] = []
    var nextAt: [String] = []
    var query: String?
    var allowsInsecure = false
    var concurrency = 8
    var retryFor: Duration?
    var tls = TLS()
    var connectTimeout = Duration.seconds(10)
    var idleTimeout = Duration.seconds(30)
  }

  struct Header: Sendable {
    var name: String
    var value: String
  }

  struct TLS: Sendable {
    var ca: String?
    var certificate: String?
    var key: String?
  }

  /// How requests are authorized. Never printed.
  enum Authorization: Sendable {
    case bearer(Secret)
    case basic(user: String, password: Secret)
    case header(name: String, value: Secret)

    var secret: Secret {
      switch self {
      case .bearer(let secret), .basic(_, let secret), .header(_, let secret): secret
      }
    }

    var source: SyncKit.Authorization {
      switch self {
      case .bearer(let secret): SyncKit.Authorization.bearer(from: secret)
      case .basic(let user, let secret): SyncKit.Authorization.basic(user: user, from: secret)
      case .header(let name, let secret): SyncKit.Authorization.header(name, from: secret)
      }
    }
  }

  struct Service: Sendable {
    var interval = Duration.seconds(900)
    var debounce = Duration.milliseconds(500)
    /// The control socket; nil for the place the system suggests.
    var socket: String?
    /// Where the service shows its state over http; nil for nowhere.
    var http: String?
  }

  /// Commands that the service runs when something happened, as lists of words.
  struct Hooks: Sendable, Equatable {
    var commands: [HookKind: [String]] = [:]
    /// How long one may take.
    var timeout = Duration.seconds(30)
  }

  struct Log: Sendable {
    enum Level: String, Sendable, CaseIterable { case error, warning, info, debug }
    enum Format: String, Sendable, CaseIterable { case auto, text, json }

    var level = Level.info
    var format = Format.auto
  }
}
