internal import HTTPServer
internal import SyncKit
import Synchronization

extension Service {
  /// `POST /v1/projects/fetch`: records by id, one line each, in the order asked.
  func fetch(_ request: Request, in space: String) throws -> Response {
    let ids = try FetchList(request.body, limit: limits.fetchItems).entries
    let reader = FetchReader(ids: ids, space: space, store: store)
    let first = try reader.next() ?? []
    let type = "application/x-ndjson"
    if reader.isAtEnd { return Response(200, type: type, body: first) }
    let pending = Mutex<[UInt8]?>(first)
    var response = Response(200, type: type, body: [])
    response.body = .stream {
      let first = pending.withLock { pending in
        defer { pending = nil }
        return pending
      }
      return try first ?? reader.next()
    }
    return response
  }
}

/// The ids that a fetch asks for.
private struct FetchList {
  enum Entry: Sendable {
    case id(ProjectID)
    case invalid(String, reason: String)
  }

  private(set) var entries: [Entry] = []

  init(_ body: [UInt8], limit: Int) throws(Problem) {
    guard String(validating: body, as: UTF8.self) != nil else {
      throw Problem(400, "the body is not UTF-8")
    }
    let reader = JSONScanner(body)
    var scanner = reader
    var entries: [Entry] = []
    var failure: Problem?
    do throws(JSONError) {
      try scanner.scanArray { (value) throws(JSONError) in
        guard reader.kind(of: value) == .string else {
          failure = failure ?? Problem(400, "an id is not a string")
          return
        }
        let text = try reader.string(at: value)
        if entries.count <= limit { entries.append(Self.entry(text)) }
      }
    } catch {
      throw Problem(400, "not a JSON array of ids: \(error)")
    }
    if let failure { throw failure }
    guard entries.count <= limit else {
      throw Problem(413, "a fetch asks for at most \(limit) ids").adding("maximumItems", limit)
    }
    self.entries = entries
  }

  private static func entry(_ text: String) -> Entry {
    do throws(InvalidProjectID) {
      return .id(try ProjectID(text))
    } catch {
      return .invalid(text, reason: error.description)
    }
  }
}

/// Reads the records of a fetch, some at a time, so that large ones are not held together.
private final class FetchReader: Sendable {
  private let ids: [FetchList.Entry]
  private let space: String
  private let store: ProjectStore
  private let position = Mutex(0)

  /// A chunk ends with the record that passes this many bytes.
  private static let chunkBytes = 256 << 10

  init(ids: [FetchList.Entry], space: String, store: ProjectStore) {
    self.ids = ids
    self.space = space
    self.store = store
  }

  var isAtEnd: Bool { position.withLock { $0 == ids.count } }

  /// The next lines; nil at the end.
  func next() throws -> [UInt8]? {
    let start = position.withLock { $0 }
    guard start < ids.count else { return nil }
    let (lines, end) = try store.read { [ids, space] connection in
      let space = try connection.space(named: space)
      var lines: [UInt8] = []
      var index = start
      while index < ids.count, lines.count < Self.chunkBytes {
        switch ids[index] {
        case .id(let id): lines.append(line: id, try connection.record(id, in: space))
        case .invalid(let text, let reason): lines.append(invalid: text, reason)
        }
        index += 1
      }
      return (lines, index)
    }
    position.withLock { $0 = end }
    return lines
  }
}

extension [UInt8] {
  fileprivate mutating func append(line id: ProjectID, _ record: StoredRecord?) {
    append(json: "{")
    appendMember("id", string: id.string, first: true)
    if let record {
      appendMember(etag: record.tag)
      append(json: ",\"record\":")
      append(contentsOf: record.json)
    } else {
      appendMember("status", raw: "404")
    }
    append(json: "}\n")
  }

  fileprivate mutating func append(invalid id: String, _ reason: String) {
    append(json: "{")
    appendMember("id", string: id, first: true)
    appendMember("status", raw: "400")
    appendMember("detail", string: reason)
    append(json: "}\n")
  }
}
