import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Command {
  static let watch = Command(
    "watch", summary: "follow what the running service does, a line for each event",
    details: """
      With --json each line is an object: {"event", "id", "data"}, see the manual's page on the control \
      API. Ends when the service ends, with 75, or with Ctrl-C.
      """,
    run: { invocation in
      let client = try invocation.serviceClient()
      let console = invocation.console
      try await Signals.cancelling {
        for try await event in client.events() {
          let line =
            invocation.printsJSON ? WatchLine.json(of: event) : WatchLine.text(of: event)
          guard let line else { continue }
          try console.print(line)
          try console.out.flush()
        }
      }
      return .unavailable
    })
}

/// One event of the service as a line.
enum WatchLine {
  static func json(of event: EventStreamParser.Event) -> String {
    JSONText.object([
      "event": .string(event.name), "id": .string(event.id), "data": .raw(event.data),
    ]).description
  }

  /// Nil for what a later version may say.
  static func text(of event: EventStreamParser.Event) -> String? {
    guard let data = try? JSONDecoder().decode(EventData.self, from: Data(event.data.utf8)),
      let words = words(event, data)
    else { return nil }
    let time = data.at.flatMap { Timestamp(rfc3339: $0) }?.short ?? ""
    return "\(time)  \(words)".printable
  }

  private static func words(_ event: EventStreamParser.Event, _ data: EventData) -> String? {
    switch event.name {
    case "state": data.state
    case "paused": data.until.map { "paused until \($0)" } ?? "paused"
    case "started": "run: \(data.direction ?? "")"
    case "listing": "the remote lists \(counted(data.entries ?? 0, "record")) so far"
    case "planned": "\(counted(data.operations ?? 0, "operation")) to do"
    case "progress": "\(data.done ?? 0) of \(data.of ?? 0) done"
    case "warning": "warning: \(data.message ?? "")"
    case "finished": ReportWords(json: event.data)?.text
    case "lost": "events are missing here: \(data.events.map(String.init) ?? "an unknown number")"
    default: nil
    }
  }
}

/// What the data of events may hold.
private struct EventData: Decodable {
  var at: String?
  var state: String?
  var until: String?
  var direction: String?
  var entries: Int?
  var operations: Int?
  var done: Int?
  var of: Int?
  var message: String?
  var events: Int?
}
