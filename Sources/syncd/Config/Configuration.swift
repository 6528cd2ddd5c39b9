import SyncKit

/// Everything that can be configured, with the defaults of what is not.
struct Configuration: Sendable, Equatable {
  /// The file it was read from; nil when there was none.
  var file: String?
  var store = ""
  var remote = Remote()
  var direction = Direction.push
  var deletions = DeletionPolicy.propagate
  var conflicts = ConflictPolicy.newest
  var guards = Guards()
  var service = Service()
  var historyKeep = Duration.seconds(90 * 86_400)
  var log = Log()

  /// The remote, and how to reach it.
  struct Remote: Sendable, Equatable {
    var url: String?
    var dialect = RemoteOptions.Dialect.auto
    var authorization: Authorization?
    var fields = RecordFields()
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

  struct Header: Sendable, Equatable {
    var name: String
    var value: String
  }

  struct TLS: Sendable, Equatable {
    var ca: String?
    var certificate: String?
    var key: String?
  }

  /// How requests are authorized.
  enum Authorization: Sendable, Equatable {
    case bearer(Secret)
    case basic(user: String, password: Secret)
    case header(name: String, value: Secret)

    var secret: Secret {
      switch self {
      case .bearer(let secret), .basic(_, let secret), .header(_, let secret): secret
      }
    }
  }

  /// Where a secret is kept. Never printed.
  enum Secret: Sendable, Equatable {
    case literal(String)
    case file(String)
    case environment(String)
    case command([String])
    /// A credential that systemd hands to the service.
    case credential(String)
  }

  struct Service: Sendable, Equatable {
    var interval = Duration.seconds(900)
    var debounce = Duration.milliseconds(500)
    /// The control socket; nil for the place the system suggests.
    var socket: String?
    /// Where the service shows its state over http; nil for nowhere.
    var http: String?
  }

  struct Log: Sendable, Equatable {
    enum Level: String, Sendable, CaseIterable { case error, warning, info, debug }
    enum Format: String, Sendable, CaseIterable { case auto, text, json }

    var level = Level.info
    var format = Format.auto
  }
}
