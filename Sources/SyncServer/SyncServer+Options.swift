extension SyncServer {
  /// What to serve, and where.
  public struct Options: Sendable {
    /// `HOST:PORT`; an IPv6 address in brackets. Port 0 lets the system pick one.
    public var listen = "127.0.0.1:8383"
    /// The database file, made where there is none; `:memory:` keeps nothing.
    public var storePath: String
    /// Path of a PEM file with the certificate and its chain. TLS needs `key` as well.
    public var certificate: String?
    /// Path of a PEM file with the certificate's private key.
    public var key: String?
    public var limits = Limits()
    /// Hears of what went wrong inside, on any thread; no contents of projects, no tokens.
    public var onTrouble: @Sendable (String) -> Void = { _ in }
    /// What the heartbeats of those who follow the events go by.
    public var heartbeatClock: any Clock<Duration> = ContinuousClock()

    public init(storePath: String) {
      self.storePath = storePath
    }
  }

  /// How much one client, and all of them, may ask for.
  public struct Limits: Sendable {
    /// The largest record, in bytes of JSON.
    public var recordBytes = 16 << 20
    /// The largest batch or list of ids, in bytes.
    public var batchBytes = 8 << 20
    /// The most items in one batch.
    public var batchItems = 10_000
    /// The most ids in one fetch.
    public var fetchItems = 1000
    /// The longest request target, in bytes.
    public var targetBytes = 8 << 10
    /// All header fields of one request together, in bytes; at most 64 KiB.
    public var headerBytes = 32 << 10
    /// Records in a page that asks for no number.
    public var pageItems = 1000
    /// The most records in a page.
    public var maximumPageItems = 10_000
    /// A page ends with the record that passes this many bytes.
    public var pageBytes = 8 << 20
    /// Connections open at once.
    public var connections = 4096
    /// Clients that may follow the events at once; each takes one of the connections.
    public var followers = 256
    /// Bytes of request bodies held at once, for all connections together.
    public var bodyBytesHeld = 256 << 20
    /// Seconds after which a connection on which nothing moves is closed.
    public var idleSeconds = 60
    /// Requests a second for each token, in bursts of up to ten seconds' worth; nil for no limit.
    public var requestsPerSecond: Double?
    /// Deletions remembered in each space. A client that has seen none of those forgotten is told
    /// so by 410, and compares.
    public var tombstones = 100_000
    /// Threads that answer requests.
    public var threads = 4

    public init() {}
  }
}
