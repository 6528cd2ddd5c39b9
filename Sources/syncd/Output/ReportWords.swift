import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A run's report that came as JSON, from a service that may be of another version, in words.
struct ReportWords: Decodable {
  struct Changes: Decodable {
    var appended: Int
    var updated: Int
    var deleted: Int

    fileprivate func words(_ place: String) -> String? {
      let parts = [(appended, "appended"), (updated, "updated"), (deleted, "deleted")]
        .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
      return parts.isEmpty ? nil : parts.joined(separator: ", ") + place
    }
  }

  var outcome: String
  var message: String
  var remote: Changes
  var local: Changes
  var unchanged: Int

  init?(json: String) {
    guard let words = try? JSONDecoder().decode(Self.self, from: Data(json.utf8)) else {
      return nil
    }
    self = words
  }

  /// `in sync: 1 appended on the remote; 12 unchanged`.
  var text: String {
    let changes = [remote.words(" on the remote"), local.words(" in the store")].compactMap { $0 }
    let done = changes.isEmpty ? "nothing to do" : changes.joined(separator: "; ")
    let headline = SyncReport.Outcome(rawValue: outcome).map(RunSummary.headline) ?? outcome
    guard outcome == SyncReport.Outcome.inSync.rawValue || !changes.isEmpty else {
      return message.isEmpty ? headline : message
    }
    let text = "\(headline): \(done); \(unchanged) unchanged"
    return message.isEmpty ? text : text + "; " + message
  }
}
