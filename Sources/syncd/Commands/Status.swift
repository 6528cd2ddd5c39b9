import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Command {
  private static let checkAge = CommandOption(
    "check", help: "exit with 1 when the last success, or a pending change, is too old")
  private static let olderThan = CommandOption(
    "older-than", .word("DURATION"), help: "the limit of --check: 30m, 1h, 2d; 1h")

  static let status = Command(
    "status", summary: "show the store, what is pending, and the last run",
    details: """
      Asks the service whether it runs, and nobody else: what it shows is what this store knows.
      """,
    options: [checkAge, olderThan],
    examples: [Example("syncd status --check --older-than 2h", "for a monitor")],
    run: { invocation in
      let limit = try invocation.duration(olderThan) ?? .seconds(3600)
      let configuration = try invocation.configuration()
      let store = try invocation.readStore()
      var status = try await store.status(remote: configuration.remote.url)
      if store.isInMemory {
        // There is no file yet, and so no identity.
        status.path = configuration.store
        status.id = ""
      }
      let service = await ServiceStanding.ask(
        configuration.controlPath(invocation.environment), storePath: status.path)
      let view = StatusView(
        status: status, url: configuration.remote.url.map(RemoteAddress.shown) ?? "", now: .now,
        service: service)
      if invocation.printsJSON {
        try invocation.console.print(view.json.description)
      } else if !invocation.console.isQuiet {
        for line in view.lines(invocation.console) { try invocation.console.print(line) }
      }
      guard invocation.arguments.has(checkAge), let trouble = view.trouble(limit: limit) else {
        return .success
      }
      invocation.console.complain(trouble)
      return .partial
    })
}

/// What a store says of itself, in words and as JSON.
struct StatusView {
  let status: StoreStatus
  let url: String
  let now: Timestamp
  var service = ServiceStanding.stopped

  var json: JSONText {
    .object([
      "service": service.json,
      "store": .object([
        "path": .string(status.path), "id": .string(status.id),
        "projects": .number(status.projects),
      ]),
      "remote": .object([
        "url": .string(url), "dialect": .string(status.dialect ?? ""),
        "clockSkew": status.clockSkew.map { .number(Int($0.components.seconds)) } ?? .null,
      ]),
      "pending": .number(status.pending),
      "oldestPending": .string(status.oldestPending?.description),
      "lastRun": lastRun,
      "lastSuccess": .string(status.lastSuccess?.description),
      "conflicts": .number(status.conflicts),
      "conflictIds": .strings(status.conflictIDs),
      "setAside": .array(status.setAside.map(\.json)),
    ])
  }

  /// The stored report with the moment of the run as its last member.
  private var lastRun: JSONText {
    guard let report = status.lastRun, report.hasSuffix("}") else { return .null }
    let at = JSONText.string(status.lastRunAt?.description)
    return .raw(report.dropLast() + ",\"at\":\(at)}")
  }

  /// When the last run was, and how it ended where it did not end well.
  private var lastRunInWords: String {
    guard let at = status.lastRunAt else { return "never" }
    let report = status.lastRun.flatMap { RunEnding(json: $0) }
    guard let report, report.outcome != SyncReport.Outcome.inSync.rawValue else {
      return at.described(at: now)
    }
    // A refusal's own words begin with that.
    let says = report.message.hasPrefix(report.outcome) || report.message.isEmpty
    return "\(at.described(at: now)): "
      + (says ? "" : report.outcome + ", ")
      + (report.message.isEmpty ? report.outcome : report.message)
  }

  func lines(_ console: Console) -> [String] {
    var rows = [
      ("store", "\(status.path), \(counted(status.projects, "project"))"),
      (
        "remote",
        url.isEmpty ? "none is configured" : url + (status.dialect.map { " (\($0))" } ?? "")
      ),
    ]
    rows.append(("service", service.words(at: now)))
    var pending = status.pending == 0 ? "nothing" : counted(status.pending, "change")
    if let oldest = status.oldestPending {
      pending += ", the oldest from \(oldest.described(at: now))"
    }
    rows.append(("pending", pending))
    rows.append(("last run", lastRunInWords))
    rows.append(("last success", status.lastSuccess?.described(at: now) ?? "never"))
    if status.futureStamps > 0 {
      rows.append(
        ("warning", "\(counted(status.futureStamps, "project")) stamped in the future"))
    }
    if let warning = status.clockSkew.flatMap(StoreStatus.warning(ofSkew:)) {
      rows.append(("warning", warning))
    }
    var lines = rows.map { $0.0.padded(to: 14) + $0.1.printable }
    lines += Self.list("conflicts", status.conflictIDs)
    lines += Self.list(
      "set aside",
      status.setAside.map { record in
        let code = record.status == 0 ? "" : "\(record.status): "
        return "\(record.id)  \(record.action)  \(code)\(record.message)"
      })
    return lines
  }

  /// Lines shown of each list; `--json` has them all.
  private static let limit = 20

  private static func list(_ title: String, _ items: [String]) -> [String] {
    if items.isEmpty { return [] }
    var lines = ["\(title): \(items.count)"]
    lines += items.prefix(limit).map { "  " + $0.printable }
    if items.count > limit { lines.append("  and \(items.count - limit) more") }
    return lines
  }

  /// Why a monitor should ring; nil when all is well.
  func trouble(limit: Duration) -> String? {
    guard let success = status.lastSuccess else { return "there never was a successful run" }
    if success.age(at: now) > limit {
      return "the last successful run was \(success.age(at: now).rough) ago"
    }
    if let oldest = status.oldestPending, oldest.age(at: now) > limit {
      return "a change has been pending for \(oldest.age(at: now).rough)"
    }
    return nil
  }
}

/// What a stored report says of how its run ended.
private struct RunEnding: Decodable {
  var outcome: String
  var message: String

  init?(json: String) {
    guard let ending = try? JSONDecoder().decode(Self.self, from: Data(json.utf8)) else {
      return nil
    }
    self = ending
  }
}

extension SetAside {
  var json: JSONText {
    .object([
      "id": .string(id), "action": .string(action), "status": .number(status),
      "message": .string(message), "since": .string(since.description),
    ])
  }
}
