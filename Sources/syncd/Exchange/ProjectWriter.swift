import SyncKit
import Synchronization

/// Writes projects one at a time.
struct ProjectWriter {
  let sink: OutputSink
  let format: ExchangeFormat

  /// - Returns: how many were written.
  @discardableResult
  func write(_ store: LocalStore, state: String? = nil, _ progress: Progress) async throws -> Int {
    let shared = Mutex(0)
    switch format {
    case .json: try sink.write("[".utf8)
    case .ndjson: break
    case .csv: try sink.write((CSVColumns.standard.joined(separator: ",") + "\n").utf8)
    }
    try await store.forEachProject(state: state) { project in
      let count = shared.withLock { count in
        count += 1
        return count
      }
      switch format {
      case .json: try sink.write(((count == 1 ? "\n" : ",\n") + project.json).utf8)
      case .ndjson: try sink.write((project.json + "\n").utf8)
      case .csv: try sink.write((CSVColumns.row(project) + "\n").utf8)
      }
      progress.show("exported \(count)")
    }
    let count = shared.withLock { $0 }
    if format == .json { try sink.write((count == 0 ? "]\n" : "\n]\n").utf8) }
    return count
  }
}
