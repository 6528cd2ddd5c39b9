import SyncKit

extension Configuration {
  /// What has changed since an earlier configuration, a sentence each: `service.interval: 15m → 5m`.
  /// Of what may be secret it is only said that it changed.
  func differences(from old: Configuration) -> [String] {
    zip(old.settings, settings).compactMap { old, new in
      guard old.identity != new.identity else { return nil }
      var sentence = "\(new.key): changed"
      if old.shown != new.shown { sentence = "\(new.key): \(old.shown) → \(new.shown)" }
      return new.needsRestart ? sentence + "; takes a restart" : sentence
    }
  }

  /// The keys that are compared.
  var settingKeys: [String] { settings.map(\.key) }

  fileprivate struct Setting {
    var key: String
    /// What differs when the setting does. Never shown.
    var identity: String
    /// What may be shown of it.
    var shown: String
    var needsRestart = false

    init(_ key: String, _ value: String?, needsRestart: Bool = false) {
      self.key = key
      identity = value.map { "=" + $0 } ?? ""
      shown = value.map(\.printable) ?? "not set"
      self.needsRestart = needsRestart
    }

    /// A setting whose value is not for everybody's eyes.
    init(_ key: String, hidden: String, shown: String = "") {
      self.key = key
      identity = hidden
      self.shown = shown
    }
  }

  /// Every setting, always in the same order.
  private var settings: [Setting] {
    [Setting("store", store, needsRestart: true)] + remote.settings + [
      Setting("direction", direction.rawValue),
      Setting("deletions", deletions.rawValue),
      Setting("conflicts", conflicts.rawValue),
      Setting("guards.maxDeletions", String(guards.maxDeletions)),
      Setting("guards.maxDeletionShare", String(guards.maxDeletionShare)),
      Setting("service.interval", service.interval.spelled),
      Setting("service.debounce", service.debounce.spelled),
      Setting("service.socket", service.socket, needsRestart: true),
      Setting("service.http", service.http, needsRestart: true),
    ]
      + HookKind.allCases.map { kind in
        let words = hooks.commands[kind]
        return Setting(
          "hooks.\(kind.key)", hidden: JSONText.strings(words ?? []).description,
          shown: words?.first?.printable ?? "not set")
      } + [
        Setting("hooks.timeout", hooks.timeout.spelled),
        Setting("history.keep", historyKeep.spelled),
        Setting("log.level", log.level.rawValue),
        Setting("log.format", log.format.rawValue),
      ]
  }
}

extension Configuration.Remote {
  fileprivate var settings: [Configuration.Setting] {
    [
      // What stands behind the path or before the host may be a key.
      .init(
        "remote.url", hidden: url ?? "", shown: url.map { RemoteAddress.shown($0) } ?? "not set"),
      .init("remote.dialect", dialect.rawValue),
      .init(
        "remote.auth", hidden: authorization?.identity ?? "",
        shown: authorization?.words ?? "not set"),
      .init("remote.fields", hidden: fields.text),
      .init("remote.ids", ids.rawValue),
      .init(
        "remote.headers",
        hidden: JSONText.strings(headers.flatMap { [$0.name, $0.value] }).description),
      .init("remote.listAt", listAt.isEmpty ? nil : listAt.joined(separator: ".")),
      .init("remote.nextAt", nextAt.isEmpty ? nil : nextAt.joined(separator: ".")),
      .init("remote.query", hidden: query ?? ""),
      .init("remote.allowInsecure", String(allowsInsecure)),
      .init("remote.concurrency", String(concurrency)),
      .init("remote.retryFor", retryFor?.spelled),
      .init("remote.tls.ca", tls.ca),
      .init("remote.tls.certificate", tls.certificate),
      .init("remote.tls.key", tls.key),
      .init("remote.timeouts.connect", connectTimeout.spelled),
      .init("remote.timeouts.idle", idleTimeout.spelled),
    ]
  }
}

extension Configuration.Authorization {
  /// The scheme, and where the secret is kept.
  fileprivate var words: String { source.description }

  fileprivate var identity: String {
    let place: [String] =
      switch secret {
      case .text(let text): ["text", text]
      case .file(let path): ["file", path]
      case .environment(let name): ["environment", name]
      case .command(let words): ["command"] + words
      case .systemd(let name): ["systemd", name]
      }
    let scheme: [String] =
      switch self {
      case .bearer: ["bearer"]
      case .basic(let user, _): ["basic", user]
      case .header(let name, _): ["header", name]
      }
    return JSONText.strings(scheme + place).description
  }
}

extension RecordFields {
  /// All of it, in an order that is always the same.
  fileprivate var text: String {
    var others = self
    others.states = [:]
    let words = states.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return "\(others) \(words.joined(separator: ","))"
  }
}
