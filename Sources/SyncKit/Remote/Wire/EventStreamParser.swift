/// Reads server-sent events as their bytes come, cut into chunks anywhere (WHATWG HTML, 9.2.6).
///
/// Holds no more than one event, up to a limit.
public struct EventStreamParser: Sendable {
  /// One event.
  public struct Event: Sendable, Equatable {
    /// Its type; `message` where none was said.
    public var name: String
    /// The lines of its data, with `\n` between them.
    public var data: String
    /// The last id that the stream has named so far; empty where it named none.
    public var id: String

    public init(name: String = "message", data: String, id: String = "") {
      self.name = name
      self.data = data
      self.id = id
    }
  }

  /// A line, or an event, is longer than the limit.
  public struct TooLong: Error, Equatable, CustomStringConvertible {
    public let limit: Int

    public init(limit: Int) { self.limit = limit }

    public var description: String { "an event of more than \(limit) bytes" }
  }

  /// The last id that was named: what `Last-Event-ID` says when the stream is asked for again.
  public private(set) var lastID = ""

  private let limit: Int
  private var line: [UInt8] = []
  private var data: [UInt8] = []
  private var hasData = false
  private var name = ""
  /// Of `id:`, in force once the event is whole.
  private var id = ""
  /// The last byte was a CR, which a LF may complete.
  private var isAfterReturn = false
  /// Nothing but the beginning of a byte order mark has come.
  private var isAtStart = true

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// - Parameter limit: the most bytes of one line, and of one event's data.
  public init(limit: Int = 1 << 20) {
    self.limit = limit
  }

  /// Takes the next bytes. What is not whole when the stream ends is no event.
  ///
  /// - Parameter body: called with each event that they complete.
  /// - Throws: `TooLong`, after which the parser is of no more use; what `body` throws.
  public mutating func consume(_ bytes: [UInt8], _ body: (Event) throws -> Void) throws {
    for byte in bytes {
      let isCompleting = isAfterReturn && byte == UInt8(ascii: "\n")
      isAfterReturn = byte == UInt8(ascii: "\r")
      if isCompleting { continue }
      guard byte == UInt8(ascii: "\n") || isAfterReturn else {
        guard line.count < limit else { throw TooLong(limit: limit) }
        line.append(byte)
        if isAtStart, !Self.byteOrderMark.starts(with: line) { isAtStart = false }
        if isAtStart, line.count == Self.byteOrderMark.count {
          isAtStart = false
          line.removeAll(keepingCapacity: true)
        }
        continue
      }
      isAtStart = false
      if line.isEmpty { try dispatch(body) } else { try takeLine() }
      line.removeAll(keepingCapacity: true)
    }
  }

  private mutating func dispatch(_ body: (Event) throws -> Void) throws {
    lastID = id
    defer {
      name = ""
      data.removeAll(keepingCapacity: true)
      hasData = false
    }
    guard hasData else { return }
    try body(
      Event(
        name: name.isEmpty ? "message" : name, data: String(decoding: data, as: UTF8.self),
        id: lastID))
  }

  private mutating func takeLine() throws {
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.count
    // A line that begins with a colon is a comment.
    guard colon > 0 else { return }
    var value = line[min(colon + 1, line.count)...]
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    switch String(decoding: line[..<colon], as: UTF8.self) {
    case "data":
      guard data.count + value.count < limit else { throw TooLong(limit: limit) }
      if hasData { data.append(UInt8(ascii: "\n")) }
      data.append(contentsOf: value)
      hasData = true
    case "event": name = String(decoding: value, as: UTF8.self)
    case "id" where !value.contains(0): id = String(decoding: value, as: UTF8.self)
    // `retry` too: who asks again has a schedule of its own.
    default: break
    }
  }
}
