import SyncKit
import Synchronization

/// Shows what happens during a run: a progress line on a terminal; with `-v` a line for what happens
/// once, and one a second for how far the run has come, however many records there are.
final class EventFollower: Sendable {
  private let console: Console
  private let time: any TimeSource
  /// When the last line on progress was printed.
  private let lastLine = Mutex<Duration?>(nil)
  private let progress: Progress
  private let task = Mutex<Task<Void, Never>?>(nil)

  init(_ invocation: Invocation, time: any TimeSource = SystemTime()) {
    console = invocation.console
    self.time = time
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

  func show(_ event: SyncEvent) {
    if console.isVerbose, !event.isProgress || isLineDue() { console.note("syncd: \(event.text)") }
    if case .warning(let text) = event, !console.isVerbose { console.note("syncd: \(text)") }
    switch event {
    case .listing(let entries): progress.show("reading the remote: \(entries)")
    case .progress(let done, let total): progress.show("carrying over: \(done) of \(total)")
    default: break
    }
  }
}

extension EventFollower {
  private func isLineDue() -> Bool {
    let now = time.uptime
    return lastLine.withLock { last in
      if let last, now - last < .seconds(1) { return false }
      last = now
      return true
    }
  }
}

extension SyncEvent {
  /// Whether it is one of many that tell how far the run has come.
  fileprivate var isProgress: Bool {
    switch self {
    case .listing, .progress: true
    case .started, .planned, .warning, .finished: false
    }
  }

  fileprivate var text: String {
    switch self {
    case .started(let direction): "started: \(direction.rawValue)"
    case .listing(let entries): "the remote lists \(counted(entries, "record")) so far"
    case .planned(let operations): "\(counted(operations, "operation")) to do"
    case .progress(let done, let total): "\(done) of \(total) done"
    case .warning(let text): "warning: \(text)"
    case .finished(let report): "finished: \(report.outcome.rawValue)"
    }
  }
}
