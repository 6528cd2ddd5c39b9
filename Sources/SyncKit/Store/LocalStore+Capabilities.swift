extension LocalStore {
  /// What is known of the remote at `url`. Handed back in `RemoteOptions`, it saves asking again.
  public func capabilities(remote url: String) throws(SyncError) -> RemoteCapabilities {
    try reporting {
      var known = RemoteCapabilities()
      let row = try database.prepare(
        "SELECT server, conditional, findings, found_at FROM syncd_remote WHERE url=?")
      defer { row.reset() }
      try row.bind(RemoteIdentity.text(of: url), at: 1)
      guard try row.step() else { return known }
      known.server = row.optionalText(0)
      known.honoursConditions = row.optionalInteger(1).map { $0 == 1 }
      known.foundAt = row.optionalInteger(3).map(Timestamp.init(microseconds:))
      known.findings = (row.optionalText(2) ?? "").split(separator: "\n").map { line in
        let kind = line.prefix { $0 != " " }
        return RemoteCapabilities.Finding(
          kind: String(kind), message: String(line.dropFirst(kind.count + 1)))
      }
      return known
    }
  }

  /// Takes note of what was found of writes, and of which server.
  public func note(
    _ findings: [RemoteCapabilities.Finding], server: String?, remote url: String, at: Timestamp
  ) throws(SyncError) {
    let lines = findings.map { finding in
      "\(finding.kind) \(finding.message.split(whereSeparator: \.isNewline).joined(separator: " "))"
    }
    try writing {
      try database.run(
        """
        INSERT INTO syncd_remote(url, server, findings, found_at) VALUES(?1,?2,?3,?4)
          ON CONFLICT(url) DO UPDATE SET server=coalesce(?2,server), findings=?3, found_at=?4
        """,
        [
          .text(RemoteIdentity.text(of: url)), SQLValue(server),
          .text(lines.joined(separator: "\n")), .integer(at.microseconds),
        ])
    }
  }

  /// Takes note whether the remote honours conditions, as far as a run has seen, and of the server. What
  /// was found of another version of it is forgotten.
  package func note(
    conditional: Bool?, server: String?, remote: Int64
  ) throws(SyncError) {
    guard conditional != nil || server != nil else { return }
    try writing {
      try database.run(
        """
        UPDATE syncd_remote SET conditional=iif(server IS NOT coalesce(?3,server), ?2,
            coalesce(?2,conditional)),
          found_at=iif(server IS NOT coalesce(?3,server), NULL, found_at),
          findings=iif(server IS NOT coalesce(?3,server), NULL, findings),
          server=coalesce(?3,server) WHERE key=?1
        """,
        [.integer(remote), SQLValue(conditional.map { $0 ? 1 : 0 }), SQLValue(server)])
    }
  }
}
