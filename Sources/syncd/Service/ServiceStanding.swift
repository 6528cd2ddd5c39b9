import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Whether a service runs for a store, and how it stands.
struct ServiceStanding: Sendable, Equatable {
  /// Nil when none runs, or none says so.
  var pid: Int32?
  /// Whether one is there that does not answer.
  var isSilent = false
  var state = ServiceState.stopped.rawValue
  /// Why the last attempt failed; empty when it went well.
  var reason = ""
  var nextAttempt: Timestamp?
  /// When a pause ends by itself; nil where it has no end, or there is none.
  var pausedUntil: Timestamp?

  static let stopped = ServiceStanding()

  var json: JSONText {
    .object([
      "running": .bool(pid != nil || isSilent), "pid": pid.map { .number(Int($0)) } ?? .null,
      "state": .string(state), "reason": .string(reason),
      "nextAttempt": .string(nextAttempt?.description),
      "pausedUntil": .string(pausedUntil?.description),
    ])
  }

  /// For people.
  func words(at now: Timestamp) -> String {
    if isSilent { return "running, but \(reason)" }
    guard let pid else { return "not running" }
    var text = "running as process \(pid), \(state)"
    if let pausedUntil { text += " until \(pausedUntil.short)" }
    if !reason.isEmpty {
      text += ": " + (reason.hasSuffix(".") ? String(reason.dropLast()) : reason)
    }
    if let nextAttempt, state != ServiceState.online.rawValue {
      let wait = nextAttempt > now ? "in \(now.age(at: nextAttempt).rough)" : "now"
      text += "; tries again \(wait)"
    }
    return text
  }

  /// Asks the service that answers at `path` whether it is the one of this store.
  static func ask(_ path: String, storePath: String) async -> ServiceStanding {
    guard FileContents.exists(path) else { return .stopped }
    let json: String
    do {
      json = try await ControlClient(path: path).status()
    } catch {
      let failure = (error as? SyncError)?.underlying as? TransportError
      guard let failure, failure.code != .cannotConnect else { return .stopped }
      // Somebody holds the socket, and says nothing.
      return ServiceStanding(isSilent: true, reason: "it does not answer at \(path)")
    }
    guard
      let answer = try? JSONDecoder().decode(Answer.self, from: Data(json.utf8)),
      answer.store.path == storePath
    else { return .stopped }
    return ServiceStanding(
      pid: answer.service.pid, state: answer.service.state, reason: answer.service.reason ?? "",
      nextAttempt: answer.service.nextAttempt.flatMap { Timestamp(rfc3339: $0) },
      pausedUntil: answer.service.pausedUntil.flatMap { Timestamp(rfc3339: $0) })
  }

  private struct Answer: Decodable {
    struct Service: Decodable {
      var pid: Int32?
      var state: String
      var reason: String?
      var nextAttempt: String?
      var pausedUntil: String?
    }
    struct Store: Decodable {
      var path: String
    }
    var service: Service
    var store: Store
  }
}
