import Synchronization

/// A line on the terminal behind standard error that says how far a long task has come. It appears
/// after a second, and never in a pipe, with `-q` or with `--json`.
final class Progress: Sendable {
  private struct State {
    var lastDrawn: ContinuousClock.Instant?
    var isDrawn = false
  }

  private let console: Console
  private let isWanted: Bool
  private let begun = ContinuousClock.now
  private let state = Mutex(State())

  init(_ console: Console, isWanted: Bool = true) {
    self.console = console
    self.isWanted = isWanted && console.errTerminal != nil && !console.isQuiet
  }

  /// Shows the text, at most ten times a second.
  func show(_ text: @autoclosure () -> String) {
    guard isWanted else { return }
    let now = ContinuousClock.now
    guard now - begun >= .seconds(1) else { return }
    let isDue = state.withLock { state in
      if let last = state.lastDrawn, now - last < .milliseconds(100) { return false }
      state.lastDrawn = now
      state.isDrawn = true
      return true
    }
    if isDue { draw(text().printable.cut(to: (console.errTerminal?.width ?? 80) - 1)) }
  }

  /// Takes the line away.
  func finish() {
    let wasDrawn = state.withLock { state in
      defer { state.isDrawn = false }
      return state.isDrawn
    }
    if wasDrawn { draw("") }
  }

  private func draw(_ text: String) {
    try? console.err.write("\r\u{1B}[K\(text)".utf8)
    try? console.err.flush()
  }
}
