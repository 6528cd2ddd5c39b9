import Synchronization

/// The two streams a command speaks through, and how it may speak on them.
final class Console: Sendable {
  enum Verbosity: Sendable { case quiet, normal, verbose }

  private struct Manner {
    var usesColor = false
    var verbosity = Verbosity.normal
  }

  let out: OutputSink
  let err: OutputSink
  /// The terminals behind the streams; nil where there is a pipe or a file.
  let outTerminal: Terminal?
  let errTerminal: Terminal?
  private let manner = Mutex(Manner())

  static let standard = Console(
    out: OutputSink(descriptor: 1), err: OutputSink(descriptor: 2),
    outTerminal: Terminal(descriptor: 1), errTerminal: Terminal(descriptor: 2))

  init(
    out: OutputSink = OutputSink(), err: OutputSink = OutputSink(), outTerminal: Terminal? = nil,
    errTerminal: Terminal? = nil
  ) {
    self.out = out
    self.err = err
    self.outTerminal = outTerminal
    self.errTerminal = errTerminal
  }

  /// - Parameter color: `auto`, `always` or `never`. `auto` colours on a terminal unless `NO_COLOR`
  ///   is set (no-color.org) or `TERM` is `dumb`.
  func configure(color: String, environment: Environment, verbosity: Verbosity) {
    let automatic =
      outTerminal != nil && environment["NO_COLOR"] == nil && environment["TERM"] != "dumb"
    manner.withLock {
      $0.usesColor = color == "always" || (color == "auto" && automatic)
      $0.verbosity = verbosity
    }
  }

  var usesColor: Bool { manner.withLock { $0.usesColor } }
  var isQuiet: Bool { manner.withLock { $0.verbosity == .quiet } }
  var isVerbose: Bool { manner.withLock { $0.verbosity == .verbose } }

  /// Prints to standard output.
  func print(_ text: String) throws(OutputError) {
    try out.write(text.utf8)
    try out.write(CollectionOfOne(UInt8(ascii: "\n")))
  }

  /// Says what is wrong on standard error; with `-q` too.
  func complain(_ text: String) {
    writeError("syncd: \(text)\n")
  }

  /// Says what a person may want to know on standard error; not with `-q`.
  func note(_ text: String) {
    if !isQuiet { writeError(text + "\n") }
  }

  /// Standard error is the last place to complain: when it is gone, so be it.
  private func writeError(_ text: String) {
    try? out.flush()
    try? err.write(text.utf8)
    try? err.flush()
  }

  /// The text in a style, where colours are wanted.
  func styled(_ text: String, _ style: TextStyle) -> String {
    usesColor ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }
}

/// Styles of text, by their SGR parameters (ECMA-48).
enum TextStyle: String, Sendable {
  case bold = "1"
  case dim = "2"
  case red = "31"
  case green = "32"
  case yellow = "33"
}
