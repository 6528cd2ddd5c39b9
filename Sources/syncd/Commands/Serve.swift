import SyncKit
import SyncServer

extension Command {
  private static let listen = CommandOption(
    "listen", .word("HOST:PORT"), help: "where to listen; 127.0.0.1:8383; port 0 picks one")
  /// The server's own file: never the local store of the configuration.
  fileprivate static let serverStore = CommandOption(
    "store", .file("FILE"), help: "the server's database; ~/.local/share/syncd/server.db")
  private static let certificate = CommandOption(
    "certificate", .file("FILE"), help: "the certificate for TLS, PEM")
  private static let key = CommandOption("key", .file("FILE"), help: "its private key, PEM")

  static let serve = Command(
    "serve", summary: "be the remote: a store over HTTP, for one machine",
    details: """
      The collection is /v1/projects. Without a token it is open to everyone on this machine, and \
      says so, though to no web page in a browser; on any other address it is refused until there is a \
      token. Runs until it is asked to end by SIGINT or SIGTERM.
      """,
    options: [listen, serverStore, certificate, key],
    examples: [
      Example("syncd serve --listen 127.0.0.1:0", "on a free port, which is printed")
    ],
    subcommands: [token],
    run: { invocation in
      let arguments = invocation.arguments
      let console = invocation.console
      var options = SyncServer.Options(storePath: invocation.serverStore)
      if let address = arguments[listen] { options.listen = address }
      options.certificate = arguments[certificate].map(invocation.environment.expand)
      options.key = arguments[key].map(invocation.environment.expand)
      options.onTrouble = { console.complain($0) }
      let server: SyncServer
      do throws(ServerError) {
        allowOpenFiles(options.limits.connections + 256)
        server = try SyncServer(options)
      } catch {
        guard error.code == .usage else { throw error }
        throw invocation.usage(error.message)
      }
      try console.print(
        invocation.printsJSON
          ? JSONText.object(["url": .string(server.url)]).description
          : "listening on \(server.url)")
      try console.out.flush()
      if server.isOpen {
        console.note(
          "syncd: no tokens: everyone on this machine may read and write; "
            + "see syncd help serve token add")
      }
      _ = await Signals.wait()
      server.stop()
      return .success
    })
}

extension Invocation {
  fileprivate var serverStore: String {
    arguments[Command.serverStore].map(environment.expand)
      ?? environment.dataHome + "/syncd/server.db"
  }
}

extension Command {
  private static let space = CommandOption(
    "space", .word("NAME"), help: "the space of projects that the token opens")
  private static let access = CommandOption(
    "access", .choice(TokenStore.Access.allCases.map(\.rawValue)),
    help: "what the token allows; write")

  private static let token = Command(
    "serve", "token", summary: "make, list and revoke the tokens of a server",
    subcommands: [addToken, listTokens, revokeToken])

  private static let addToken = Command(
    "serve", "token", "add", summary: "make a token, and print it once",
    details: "Only a hash is kept: the token cannot be shown again.",
    options: [space, access, serverStore],
    examples: [
      Example("syncd serve token add --space team --access write", "prints the token")
    ],
    run: { invocation in
      guard let name = invocation.arguments[space] else {
        throw invocation.usage("syncd serve token add needs --space NAME")
      }
      let access = invocation.arguments[access].flatMap(TokenStore.Access.init) ?? .write
      let text = try TokenStore(storePath: invocation.serverStore).add(space: name, access: access)
      try invocation.console.print(
        invocation.printsJSON
          ? JSONText.object([
            "token": .string(text), "space": .string(name), "access": .string(access.rawValue),
          ]).description : text)
      return .success
    })

  private static let listTokens = Command(
    "serve", "token", "list", summary: "list the tokens, without their secrets",
    options: [serverStore],
    run: { invocation in
      let tokens = try TokenStore(storePath: invocation.serverStore).list()
      let console = invocation.console
      if invocation.printsJSON {
        try console.print(JSONText.array(tokens.map(\.json)).description)
        return .success
      }
      if tokens.isEmpty {
        console.note("no tokens")
        return .success
      }
      var table = Table(["ID", "SPACE", "ACCESS", "MADE", "STATE"])
      for token in tokens {
        table.add([
          token.id, token.space, token.access.rawValue, token.createdAt.short,
          token.isRevoked ? "revoked" : "valid",
        ])
      }
      for line in table.lines(header: { console.styled($0, .dim) }) { try console.print(line) }
      return .success
    })

  private static let revokeToken = Command(
    "serve", "token", "revoke", summary: "take a token's right away",
    operands: [Operand(name: "ID")], options: [serverStore],
    run: { invocation in
      let id = invocation.operand ?? ""
      guard try TokenStore(storePath: invocation.serverStore).revoke(id) else {
        throw SyncError(.notFound, "there is no valid token \(id); see: syncd serve token list")
      }
      if !invocation.console.isQuiet, !invocation.printsJSON {
        try invocation.console.print("revoked \(id)")
      }
      return .success
    })
}

extension TokenStore.Token {
  fileprivate var json: JSONText {
    .object([
      "id": .string(id), "space": .string(space), "access": .string(access.rawValue),
      "createdAt": .string(createdAt.description), "revoked": .bool(isRevoked),
    ])
  }
}

extension ExitCode {
  init(_ code: ServerError.Code) {
    self =
      switch code {
      case .usage: .usage
      case .configuration: .configuration
      case .address, .locked: .unavailable
      case .store: .store
      }
  }
}
