internal import HTTPServer
internal import SyncKit

extension Service {
  /// `POST /v1/projects/batch`: many writes, each on its own, durable together before the answer.
  func batch(_ request: Request, in space: String, done: @escaping Ending) throws {
    let items = BatchItem.read(request.body, limit: limits.batchItems)
    let isSmall = request.body.count <= limits.batchBytes || items.count <= 1
    guard isSmall, items.count <= limits.batchItems else {
      throw Problem(
        413, "a batch holds at most \(limits.batchItems) items and \(limits.batchBytes) bytes"
      )
      .adding("maximumItems", limits.batchItems)
      .adding("maximumBytes", limits.batchBytes)
    }
    let keptDeletions = request.keptDeletions
    let isMinimal = request.prefers("return=minimal")
    write(space, done: done) { connection, space in
      let previous = space.tag
      let ends = try items.map { item in
        try connection.write(item, keptDeletions: keptDeletions, in: &space)
      }
      return BatchEnd(ends: ends, previousTag: previous, space: space)
    } answer: { [self] written in
      let response = Response(
        200, type: "application/x-ndjson",
        body: isMinimal ? .runs(items, written.ends) : .lines(items, written.ends)
      )
      .adding(collectionFields(of: written.space))
      .adding("Syncd-Previous-ETag", written.previousTag)
      return isMinimal ? response.adding("Preference-Applied", "return=minimal") : response
    }
  }
}

extension Request {
  /// Whether the request has this preference, RFC 7240.
  fileprivate func prefers(_ preference: String) -> Bool {
    field("Prefer")?.split { $0 == "," || $0 == " " || $0 == ";" }.contains { $0 == preference }
      ?? false
  }
}

private struct BatchEnd: Sendable {
  /// One for each item; nil for one that was refused as it was read.
  let ends: [WriteEnd?]
  let previousTag: String
  let space: Space
}

extension StoreConnection {
  fileprivate func write(
    _ item: BatchItem, keptDeletions: KeptDeletions, in space: inout Space
  ) throws(DatabaseError) -> WriteEnd? {
    switch item {
    case .put(let record, var conditions):
      conditions.keptDeletions = keptDeletions
      return try put(record, if: conditions, in: &space)
    case .delete(let id, let conditions): return try delete(id, if: conditions, in: &space)
    case .refused: return nil
    }
  }
}

extension [UInt8] {
  /// A line for each item.
  fileprivate static func lines(_ items: [BatchItem], _ ends: [WriteEnd?]) -> [UInt8] {
    var body: [UInt8] = []
    body.reserveCapacity(items.count * 96)
    for (item, end) in zip(items, ends) { body.append(item, end) }
    return body
  }

  /// Records that were stored one after the other share a line, which has their number, the sequence
  /// number of the first and the hashes of all:
  /// `{"status":201,"count":2,"sequence":17,"hashes":"…"}`.
  fileprivate static func runs(_ items: [BatchItem], _ ends: [WriteEnd?]) -> [UInt8] {
    var body: [UInt8] = []
    var index = 0
    while index < items.count {
      guard let (status, first) = ends[index]?.stored else {
        body.append(items[index], ends[index])
        index += 1
        continue
      }
      var hashes: [UInt8] = []
      let start = index
      while index < items.count, let (next, tag) = ends[index]?.stored, next == status,
        tag.sequence == first.sequence + Int64(index - start)
      {
        Swift.withUnsafeBytes(of: tag.hash.bigEndian) { hashes.append(contentsOf: $0) }
        index += 1
      }
      body.append(contentsOf: "{\"status\":\(status),\"count\":\(index - start)".utf8)
      body.append(contentsOf: ",\"sequence\":\(first.sequence)".utf8)
      body.appendMember("hashes", string: Base64.text(hashes))
      body.append(json: "}\n")
    }
    return body
  }

  /// Appends one line of a batch's answer.
  fileprivate mutating func append(_ item: BatchItem, _ end: WriteEnd?) {
    switch item {
    case .put(let record, _): appendResult(record.id.string, end)
    case .delete(let id, _): appendResult(id.string, end)
    case .refused(let id, let problem):
      append(json: "{")
      if let id {
        appendMember("id", string: id, first: true)
        append(json: ",")
      }
      append(json: "\"status\":")
      append(contentsOf: String(problem.status).utf8)
      appendMember("detail", string: problem.detail)
    }
    append(json: "}\n")
  }

  private mutating func appendResult(_ id: String, _ end: WriteEnd?) {
    append(json: "{")
    appendMember("id", string: id, first: true)
    switch end {
    case .created(let tag): appendResult(201, tag)
    case .replaced(let tag): appendResult(200, tag)
    case .deleted: appendResult(204, nil)
    case .absent: appendResult(404, nil)
    case .deletedSince(let tag): appendResult(410, tag)
    case .preconditionFailed, nil: appendResult(412, nil)
    }
  }

  private mutating func appendResult(_ status: Int, _ tag: RecordTag?) {
    append(json: ",\"status\":")
    append(contentsOf: String(status).utf8)
    if let tag { appendMember(etag: tag) }
  }
}

extension WriteEnd {
  fileprivate var stored: (status: Int, tag: RecordTag)? {
    switch self {
    case .created(let tag): (201, tag)
    case .replaced(let tag): (200, tag)
    case .deleted, .absent, .preconditionFailed, .deletedSince: nil
    }
  }
}
