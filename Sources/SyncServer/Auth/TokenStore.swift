import CSodium
public import SyncKit

/// The bearer tokens of a server's store.
///
/// A token is `syncd_ID_SECRET`; the secret is 256 random bits of which only a hash is kept. Tokens
/// may be made and revoked while a server runs on the same file; it heeds that at the next request.
public final class TokenStore: Sendable {
  public enum Access: String, Sendable, CaseIterable {
    case read
    /// Reading and writing.
    case write
  }

  public struct Token: Sendable, Equatable {
    /// Names the token, to revoke it; no secret.
    public let id: String
    public let space: String
    public let access: Access
    public let createdAt: Timestamp
    public let isRevoked: Bool
  }

  private let store: ProjectStore

  /// Opens the tokens of the server whose store is at `storePath`, making the file if need be.
  ///
  /// - Throws: `ServerError`.
  public init(storePath: String) throws(ServerError) {
    store = try ProjectStore(path: storePath)
  }

  init(store: ProjectStore) {
    self.store = store
  }

  /// Makes a token for one space, and the space if it is new.
  ///
  /// - Parameter space: 1 to 64 ASCII letters, digits, `.`, `_` and `-`.
  /// - Returns: the token's text, which cannot be read again.
  /// - Throws: `ServerError`.
  public func add(space: String, access: Access) throws(ServerError) -> String {
    guard Self.isName(space) else {
      throw ServerError(
        .configuration, "a space's name is 1 to 64 letters, digits, dots, dashes and underscores")
    }
    let id = Randomness.hexadecimal(6)
    let secret = Randomness.hexadecimal(32)
    let hash = Self.hash(secret)
    try run { connection in
      _ = try connection.space(named: space)
      try connection.database.run(
        """
        INSERT INTO token(id, space, access, hash, created_at)
        VALUES(?, ?, ?, ?, CAST(strftime('%s', 'now') AS INTEGER) * 1000000)
        """, [.text(id), .text(space), .text(access.rawValue), .blob(hash)])
    }
    return "syncd_\(id)_\(secret)"
  }

  /// Every token there is or was, the oldest first.
  ///
  /// - Throws: `ServerError`.
  public func list() throws(ServerError) -> [Token] {
    try run { connection in
      let statement = try connection.database.prepare(
        "SELECT id, space, access, created_at, revoked_at FROM token ORDER BY created_at, id")
      defer { statement.reset() }
      var tokens: [Token] = []
      while try statement.step() { tokens.append(Token(statement)) }
      return tokens
    }
  }

  /// Takes a token's right away, for good.
  ///
  /// - Returns: whether there was such a token with a right to take.
  /// - Throws: `ServerError`.
  public func revoke(_ id: String) throws(ServerError) -> Bool {
    try run { connection in
      try connection.database.run(
        """
        UPDATE token SET revoked_at = CAST(strftime('%s', 'now') AS INTEGER) * 1000000
        WHERE id = ? AND revoked_at IS NULL
        """, [.text(id)])
      return connection.database.changes > 0
    }
  }

  // MARK: For the gate

  /// Whether a token was ever made.
  func hasAny() throws(ServerError) -> Bool {
    try run(writes: false) { connection in
      try connection.database.integer("SELECT EXISTS(SELECT 1 FROM token)") == 1
    }
  }

  /// The token with this text, unless it was revoked.
  func find(_ text: String) throws(ServerError) -> Token? {
    let parts = text.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "syncd" else { return nil }
    let id = String(parts[1])
    let hash = Self.hash(String(parts[2]))
    return try run(writes: false) { connection in
      let statement = try connection.database.prepare(
        """
        SELECT id, space, access, created_at, revoked_at, hash FROM token
        WHERE id = ? AND revoked_at IS NULL
        """)
      defer { statement.reset() }
      try statement.bind(id, at: 1)
      guard try statement.step() else { return nil }
      let known = statement.bytes(5)
      guard known.count == hash.count, sodium_memcmp(known, hash, hash.count) == 0 else {
        return nil
      }
      return Token(statement)
    }
  }

  private static func hash(_ secret: String) -> [UInt8] {
    let bytes = Array(secret.utf8)
    var hash = [UInt8](repeating: 0, count: 32)
    crypto_generichash(&hash, hash.count, bytes, UInt64(bytes.count), nil, 0)
    return hash
  }

  private static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
          UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }

  private func run<Result: Sendable>(
    writes: Bool = true, _ body: @Sendable (StoreConnection) throws -> Result
  ) throws(ServerError) -> Result {
    do {
      return writes ? try store.write(body) : try store.read(body)
    } catch {
      throw ServerError(.store, "\(error)")
    }
  }
}

extension TokenStore.Token {
  fileprivate init(_ statement: Statement) {
    self.init(
      id: statement.text(0), space: statement.text(1),
      access: TokenStore.Access(rawValue: statement.text(2)) ?? .read,
      createdAt: Timestamp(microseconds: statement.integer(3)), isRevoked: !statement.isNull(4))
  }
}
