import SyncKit
import Synchronization

/// Shows what happens during a run: a progress line on a terminal, every event with `-v`.
final class EventFollower: Sendable {
  private let console: Console
  private let progress: Progress
  private let task = Mutex<Task<Void, Never>?>(nil)

  init(_ invocation: Invocation) {
    console = invocation.console
    progress = Progress(
      console, isWanted: !invocation.printsJSON && !invocation.console.isVerbose)
  }

  func follow(_ events: AsyncStream<SyncEvent>) {
    let task = Task {
      for await event in events {
        show(event)
        if case .finished = event { break }
      }
    }
    self.task.withLock { $0 = task }
  }

  /// Waits until everything up to the end of the run is shown.
  func drain() async { await task.withLock { $0 }?.value }

  func stop() {
    task.withLock { $0?.cancel() }
    progress.finish()
  }

  private func show(_ event: SyncEvent) {
    if console.isVerbose, let text = event.text { console.note("syncd: \(text)") }
    if case .warning(let text) = event, !console.isVerbose { console.note("syncd: \(text)") }
    switch event {
    case .listing(let entries): progress.show("reading the remote: \(entries)")
    case .progress(let done, let total): progress.show("carrying over: \(done) of \(total)")
    default: break
    }
  }
}

extension SyncEvent {
  fileprivate var text: String? {
    switch self {
    case .started(let direction): "started: \(direction.rawValue)"
    case .listing(let entries): "the remote lists \(counted(entries, "record")) so far"
    case .planned(let operations): "\(counted(operations, "operation")) to do"
    case .progress(let done, let total): "\(done) of \(total) done"
    case .warning(let text): "warning: \(text)"
    case .finished: nil
    }
  }
}
