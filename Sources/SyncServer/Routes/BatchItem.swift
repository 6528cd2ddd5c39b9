internal import HTTPServer
internal import SyncKit

/// One line of a batch, read.
enum BatchItem: Sendable {
  case put(SubmittedRecord, WriteConditions)
  case delete(ProjectID, WriteConditions)
  /// The line is not an item; the others are none the worse for it.
  case refused(id: String?, Problem)

  /// Reads the lines of a batch; empty ones are no items.
  ///
  /// - Parameter limit: at most one item more than this is read.
  static func read(_ body: [UInt8], limit: Int) -> [BatchItem] {
    let isText = String(validating: body, as: UTF8.self) != nil
    var items: [BatchItem] = []
    for line in JSONLines(body).lazy.prefix(limit + 1) {
      if isText || String(validating: body[line], as: UTF8.self) != nil {
        items.append(BatchItem(body, line))
      } else {
        items.append(.refused(id: nil, Problem(400, "the line is not UTF-8")))
      }
    }
    return items
  }

  private init(_ bytes: [UInt8], _ line: Range<Int>) {
    let reader = JSONScanner(bytes)
    if Self.isRecord(bytes[line]) {
      do throws(Problem) {
        self = .put(
          try SubmittedRecord(bytes, in: line), WriteConditions(noneMatch: .any))
      } catch {
        self = .refused(id: Members(put: line).id(reader), error)
      }
      return
    }
    var scanner = JSONScanner(bytes, in: line)
    var members = Members()
    do throws(JSONError) {
      try scanner.scanObject { (key, value) throws(JSONError) in
        members.take(reader, key, value)
      }
    } catch {
      let detail = JSONError(offset: error.offset - line.lowerBound, error.message)
      self = .refused(id: nil, Problem(400, "not a JSON object: \(detail)"))
      return
    }
    do throws(Problem) {
      self = try members.item(reader)
    } catch {
      self = .refused(id: members.id(reader), error)
    }
  }

  /// Whether the line is a record rather than an item, which has no id: one to be created.
  private static func isRecord(_ line: ArraySlice<UInt8>) -> Bool {
    let text = line.drop(while: isJSONSpace).dropFirst().drop(while: isJSONSpace)
    return text.starts(with: "\"id\"".utf8)
  }

  private struct Members {
    var put: Range<Int>?
    var delete: Range<Int>?
    var match: Range<Int>?
    var noneMatch: Range<Int>?
    var isUnknown = false

    mutating func take(_ reader: JSONScanner, _ key: Range<Int>, _ value: Range<Int>) {
      if reader.name(at: key, is: "put"), put == nil {
        put = value
      } else if reader.name(at: key, is: "delete"), delete == nil {
        delete = value
      } else if reader.name(at: key, is: "ifMatch"), match == nil {
        match = value
      } else if reader.name(at: key, is: "ifNoneMatch"), noneMatch == nil {
        noneMatch = value
      } else {
        isUnknown = true
      }
    }

    func item(_ reader: JSONScanner) throws(Problem) -> BatchItem {
      guard !isUnknown, (put == nil) != (delete == nil) else {
        throw Problem(400, "an item has put or delete, and may have ifMatch and ifNoneMatch")
      }
      let conditions = WriteConditions(
        match: try tags(match, reader), noneMatch: try tags(noneMatch, reader))
      if let put {
        return .put(try SubmittedRecord(reader.bytes, in: put), conditions)
      }
      guard let text = string(delete, reader) else {
        throw Problem(422, "delete takes an id, a string")
      }
      do throws(InvalidProjectID) {
        return .delete(try ProjectID(text), conditions)
      } catch {
        throw Problem(422, error.description)
      }
    }

    /// The id that an item speaks of, as far as it can be told.
    func id(_ reader: JSONScanner) -> String? {
      guard let put else { return string(delete, reader) }
      var scanner = JSONScanner(reader.bytes, in: put)
      var id: Range<Int>?
      try? scanner.scanObject { (key, value) throws(JSONError) in
        if reader.string(at: key, equals: "id") { id = value }
      }
      return string(id, reader).map { String($0.prefix(ProjectID.maximumBytes)) }
    }

    private func string(_ value: Range<Int>?, _ reader: JSONScanner) -> String? {
      guard let value, reader.kind(of: value) == .string else { return nil }
      return try? reader.string(at: value)
    }

    private func tags(
      _ value: Range<Int>?, _ reader: JSONScanner
    ) throws(Problem) -> EntityTags? {
      guard let value else { return nil }
      guard let text = string(value, reader) else {
        throw Problem(400, "a condition is not a string")
      }
      return try EntityTags(text)
    }
  }
}
