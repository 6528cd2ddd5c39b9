import SyncKit

extension Configuration.Remote {
  mutating func read(_ section: ConfigurationReader, _ environment: Environment) {
    var reader = section
    url = reader.string("url")
    dialect = reader.choice("dialect", of: RemoteOptions.Dialect.self) ?? dialect
    if let section = reader.section("auth") {
      authorization = Configuration.Authorization(section, environment)
    }
    readFields(&reader)
    ids = reader.choice("ids", of: IDCodec.self) ?? ids
    if var section = reader.section("headers") {
      headers = section.texts().map { Configuration.Header(name: $0.key, value: $0.value) }
    }
    listAt = reader.memberPath("listAt") ?? listAt
    nextAt = reader.memberPath("nextAt") ?? nextAt
    query = reader.string("query").map { $0.hasPrefix("?") ? String($0.dropFirst()) : $0 }
    allowsInsecure = reader.boolean("allowInsecure") ?? allowsInsecure
    concurrency = reader.integer("concurrency", in: 1...64) ?? concurrency
    retryFor = reader.duration("retryFor")
    if let section = reader.section("tls") { tls.read(section, environment) }
    if var section = reader.section("timeouts") {
      connectTimeout = section.duration("connect") ?? connectTimeout
      idleTimeout = section.duration("idle") ?? idleTimeout
      section.finish()
    }
    reader.finish()
  }
}

extension ConfigurationReader {
  /// The names that lead to a member: `"data"`, `"data.items"`, `"/data/items"` or a list of names.
  fileprivate mutating func memberPath(_ key: String) -> [String]? {
    var copy = self
    if case .array? = copy.value(key) { return strings(key) }
    guard let text = string(key) else { return nil }
    guard text.hasPrefix("/") else { return text.split(separator: ".").map(String.init) }
    return RecordFields.path(of: text)
  }
}

extension Configuration.TLS {
  fileprivate mutating func read(_ section: ConfigurationReader, _ environment: Environment) {
    var reader = section
    ca = reader.string("ca").map(environment.expand)
    certificate = reader.string("certificate").map(environment.expand)
    key = reader.string("key").map(environment.expand)
    reader.finish()
    if (certificate == nil) != (key == nil) {
      let missing = certificate == nil ? "certificate" : "key"
      reader.fault(missing, "a certificate and its key are given together")
    }
  }
}

extension Configuration.Authorization {
  /// Nil when the section has a fault or says nothing.
  fileprivate init?(_ section: ConfigurationReader, _ environment: Environment) {
    var reader = section
    var found: [Configuration.Authorization] = []
    if let secret = reader.secret("bearer", environment) { found.append(.bearer(secret)) }
    if var basic = reader.section("basic") {
      let user = basic.string("user")
      if let password = basic.secret("password", environment), let user {
        found.append(.basic(user: user, password: password))
      } else if user == nil {
        basic.fault("user", "is missing")
      } else {
        basic.missing("password")
      }
      basic.finish()
    }
    if var header = reader.section("header") {
      let name = header.string("name")
      if let value = header.secret("value", environment), let name {
        found.append(.header(name: name, value: value))
      } else if name == nil {
        header.fault("name", "is missing")
      } else {
        header.missing("value")
      }
      header.finish()
    }
    reader.finish()
    if found.count > 1 { reader.fault("give one of bearer, basic, header") }
    guard let first = found.first else { return nil }
    self = first
  }
}

extension ConfigurationReader {
  fileprivate mutating func missing(_ key: String) {
    if value(key) == nil { fault(key, "is missing") }
  }

  /// A secret: text, or an object that says where it is kept.
  fileprivate mutating func secret(
    _ key: String, _ environment: Environment
  ) -> Secret? {
    switch value(key) {
    case nil: return nil
    case .string(let text)?: return .text(text)
    case .object(let members)?:
      var reader = ConfigurationReader(.object(members), path: path(key), faults: faults)
      var found: [Secret] = []
      if let file = reader.string("file") { found.append(.file(environment.expand(file))) }
      if let name = reader.string("env") { found.append(.environment(name)) }
      if let words = reader.command("command", environment) { found.append(.command(words)) }
      if let name = reader.string("credential") { found.append(.systemd(name)) }
      reader.finish()
      if found.count != 1, members.count != 1 {
        fault(key, "give one of file, env, command, credential")
      }
      return found.first
    default:
      fault(key, "should be {file}, {env}, {command} or {credential}")
      return nil
    }
  }
}
