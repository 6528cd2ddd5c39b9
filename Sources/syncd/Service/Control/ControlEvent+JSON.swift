import SyncKit

extension ControlEvent {
  /// The event's type on the wire.
  var name: String {
    switch self {
    case .state: "state"
    case .paused: "paused"
    case .run(let event):
      switch event {
      case .started: "started"
      case .listing: "listing"
      case .planned: "planned"
      case .progress: "progress"
      case .warning: "warning"
      case .finished: "finished"
      }
    }
  }

  /// The event's data: an object whose last member is the moment.
  func json(at now: Timestamp) -> JSONText {
    let at = JSONText.string(now.description)
    return switch self {
    case .state(let state): .object(["state": .string(state), "at": at])
    case .paused(let until): .object(["until": .string(until?.description), "at": at])
    case .run(let event):
      switch event {
      case .started(let direction): .object(["direction": .string(direction.rawValue), "at": at])
      case .listing(let entries): .object(["entries": .number(entries), "at": at])
      case .planned(let operations): .object(["operations": .number(operations), "at": at])
      case .progress(let done, let total):
        .object(["done": .number(done), "of": .number(total), "at": at])
      case .warning(let message): .object(["message": .string(message), "at": at])
      // The report is an object that is never empty.
      case .finished(let report): .raw(report.json.dropLast() + ",\"at\":\(at)}")
      }
    }
  }
}
