import SyncKit

/// Takes a file apart into the JSON of its records while its bytes arrive.
struct RecordSource {
  /// One record, or why there is none, and where it stands.
  struct Item {
    let place: String
    let json: Result<[UInt8], any Error>
  }

  /// A file that cannot be read any further.
  struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  private let format: ExchangeFormat
  // What has come of a record lies in one of these, and nowhere else: a copy of it for every chunk
  // would cost the square of its length.
  private var array = JSONArrayReader()
  private var line: [UInt8] = []
  private var csv = CSVReader()
  private var columns: CSVColumns?
  private var count = 0

  init(_ format: ExchangeFormat) {
    self.format = format
  }

  /// The longest line.
  private static let maximumLine = 64 << 20

  /// - Throws: `Fault`; what `body` throws.
  mutating func consume(_ chunk: [UInt8], _ body: (Item) throws -> Void) throws {
    switch format {
    case .json:
      var count = count
      do {
        try array.consume(chunk) { json in
          count += 1
          try body(Item(place: "record \(count)", json: .success(json)))
        }
      } catch let error as JSONError {
        throw Fault(description: "\(error)")
      }
      self.count = count
    case .ndjson:
      var start = chunk.startIndex
      while let end = chunk[start...].firstIndex(of: 0x0A) {
        line += chunk[start..<end]
        try takeLine(body)
        start = end + 1
      }
      line += chunk[start...]
      guard line.count <= Self.maximumLine else {
        throw Fault(description: "line \(count + 1) is too long")
      }
    case .csv:
      var columns = columns
      defer { self.columns = columns }
      do {
        try csv.consume(chunk) { try Self.take($0, &columns, body) }
      } catch let error as CSVReader.Fault {
        throw Fault(description: "\(error)")
      }
    }
  }

  /// - Throws: `Fault` when the file ends too early; what `body` throws.
  mutating func finish(_ body: (Item) throws -> Void) throws {
    switch format {
    case .json:
      do {
        try array.finish()
      } catch {
        throw Fault(description: "\(error)")
      }
    case .ndjson: try takeLine(body)
    case .csv:
      do {
        try csv.finish { try Self.take($0, &columns, body) }
      } catch let error as CSVReader.Fault {
        throw Fault(description: "\(error)")
      }
    }
  }

  private mutating func takeLine(_ body: (Item) throws -> Void) throws {
    defer { line.removeAll(keepingCapacity: line.capacity < 1 << 20) }
    count += 1
    let isFirst = count == 1 && line.starts(with: [0xEF, 0xBB, 0xBF])
    let text = isFirst ? Array(line.dropFirst(3)) : line
    guard text.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) else { return }
    try body(Item(place: "line \(count)", json: .success(text)))
  }

  private static func take(
    _ row: CSVReader.Row, _ columns: inout CSVColumns?, _ body: (Item) throws -> Void
  ) throws {
    if let known = columns {
      let json = Result { try known.json(try row.cells.get()) }
      return try body(Item(place: "line \(row.line)", json: json))
    }
    switch row.cells {
    case .success(let names):
      let header = CSVColumns(header: names)
      if let fault = header.fault { throw Fault(description: "the first line \(fault)") }
      columns = header
    case .failure(let error): throw Fault(description: "line \(row.line): \(error)")
    }
  }
}
