#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Our ends of a command's pipes: what is still to be written, and what was read of its output.
struct CommandPipes {
  private var output: Int32?
  private var input: Int32?
  private var toWrite: ArraySlice<UInt8>
  private let rule: ChildCommand.Output
  private var received: [UInt8] = []
  private(set) var isCut = false

  /// What a pipe holds: one read takes all that a command that has ended left there.
  private static let capacity = 64 << 10

  init(output: Int32, keeping rule: ChildCommand.Output, input: Int32?, bytes: [UInt8]) {
    (self.output, self.input, self.rule) = (output, input, rule)
    toWrite = bytes[...]
    for end in [output, input] {
      if let end { _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) }
    }
  }

  var areOpen: Bool { output != nil || input != nil }

  /// The output as the rule has it.
  var kept: [UInt8] {
    switch rule {
    case .firstLine: Array(received.prefix { $0 != UInt8(ascii: "\n") })
    case .beginning: received
    }
  }

  /// Waits until something can be written or read, and does so as far as it goes without waiting.
  mutating func exchange(milliseconds: Int32) {
    var waiting: [pollfd] = []
    if let input { waiting.append(pollfd(fd: input, events: Int16(POLLOUT), revents: 0)) }
    if let output { waiting.append(pollfd(fd: output, events: Int16(POLLIN), revents: 0)) }
    guard poll(&waiting, nfds_t(waiting.count), milliseconds) > 0 else { return }
    writeSome()
    while readSome() {}
  }

  mutating func closeBoth() {
    closeInput()
    closeOutput()
  }

  private mutating func closeInput() {
    if let input { close(input) }
    input = nil
  }

  private mutating func closeOutput() {
    if let output { close(output) }
    output = nil
  }

  /// A command that does not want its input closes the pipe: no trouble. This thread takes no
  /// signals, SIGPIPE among them.
  private mutating func writeSome() {
    guard let input else { return }
    while !toWrite.isEmpty {
      let count = toWrite.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      if count < 0 { break }
      toWrite = toWrite.dropFirst(count)
    }
    closeInput()
  }

  /// - Returns: whether there may be more at once.
  private mutating func readSome() -> Bool {
    guard let output else { return false }
    var buffer = [UInt8](repeating: 0, count: Self.capacity)
    let count = read(output, &buffer, buffer.count)
    if count < 0, errno == EINTR { return true }
    if count < 0, errno == EAGAIN { return false }
    guard count > 0 else {
      closeOutput()
      return false
    }
    take(buffer[..<count])
    // One that prints without end must not keep us from looking at the time.
    return count < buffer.count
  }

  private mutating func take(_ bytes: ArraySlice<UInt8>) {
    switch rule {
    case .firstLine(let limit):
      received += bytes
      if received.contains(UInt8(ascii: "\n")) || received.count >= limit { closeOutput() }
    case .beginning(let limit):
      let room = limit - received.count
      received += bytes.prefix(room)
      if bytes.count > room { isCut = true }
    }
  }
}
