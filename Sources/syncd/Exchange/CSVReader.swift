/// Takes CSV apart while its bytes arrive (RFC 4180; `;` and tabs as separators and lone line feeds
/// are understood as well).
struct CSVReader {
  private enum State { case fieldStart, plain, quoted, quoteInQuoted }

  private var state = State.fieldStart
  private var separator: UInt8?
  private var field: [UInt8] = []
  private var row: [[UInt8]] = []
  private var size = 0
  /// The line on which the row that is being read began.
  private var rowLine = 1
  private var line = 1

  /// The most bytes of one row.
  static let maximumRow = 64 << 20

  struct Fault: Error, CustomStringConvertible {
    let line: Int
    let message: String

    var description: String { "line \(line): \(message)" }
  }

  /// A row whose bytes are no text: a spreadsheet's own encoding, say.
  struct NotUTF8: Error, CustomStringConvertible {
    let description = "not UTF-8; save the file as UTF-8"
  }

  /// One row: its cells, or why there are none, and the line on which it began.
  typealias Row = (cells: Result<[String], NotUTF8>, line: Int)

  mutating func consume(_ chunk: [UInt8], row body: (Row) throws -> Void) throws {
    if separator == nil { separator = Self.separator(in: chunk) }
    for byte in chunk {
      size += 1
      guard size <= Self.maximumRow else {
        throw Fault(line: rowLine, message: "the row is too long")
      }
      switch state {
      case .quoted:
        if byte == UInt8(ascii: "\"") { state = .quoteInQuoted } else { field.append(byte) }
        if byte == 0x0A { line += 1 }
      case .quoteInQuoted where byte == UInt8(ascii: "\""):
        field.append(byte)
        state = .quoted
      case .fieldStart where byte == UInt8(ascii: "\""):
        state = .quoted
      default:
        try consumePlain(byte, body)
      }
    }
  }

  mutating func finish(row body: (Row) throws -> Void) throws {
    if state == .quoted { throw Fault(line: rowLine, message: "a quote that is never closed") }
    if !row.isEmpty || !field.isEmpty { try endRow(body) }
  }

  private mutating func consumePlain(_ byte: UInt8, _ body: (Row) throws -> Void) throws {
    switch byte {
    case separator: endField()
    case 0x0A:
      line += 1
      try endRow(body)
    case 0x0D: break
    default:
      if state == .quoteInQuoted {
        throw Fault(line: line, message: "text after a closing quote")
      }
      field.append(byte)
      state = .plain
    }
  }

  private mutating func endField() {
    row.append(field)
    field.removeAll(keepingCapacity: true)
    state = .fieldStart
  }

  private mutating func endRow(_ body: (Row) throws -> Void) throws {
    let isBlank = row.isEmpty && field.isEmpty && state == .fieldStart
    endField()
    let fields = row
    let start = rowLine
    row.removeAll(keepingCapacity: true)
    size = 0
    rowLine = line
    guard !isBlank else { return }
    let cells = fields.compactMap { String(validating: $0, as: UTF8.self) }
    try body((cells.count == fields.count ? .success(cells) : .failure(NotUTF8()), start))
  }

  /// The separator that the header uses most.
  private static func separator(in chunk: [UInt8]) -> UInt8 {
    let header = chunk.prefix { $0 != 0x0A }
    let candidates = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]
    let counts = candidates.map { candidate in header.count { $0 == candidate } }
    let best = counts.max() ?? 0
    return zip(candidates, counts).first { $0.1 == best }?.0 ?? UInt8(ascii: ",")
  }
}
