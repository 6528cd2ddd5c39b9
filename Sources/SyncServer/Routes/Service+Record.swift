internal import HTTPServer
internal import SyncKit

extension Service {
  /// How a request that writes ends.
  typealias Ending = @Sendable (Result<Response, any Error>) -> Void

  /// `PUT` and `DELETE /v1/projects/{id}`.
  func change(
    _ id: ProjectID, _ request: Request, in space: String, done: @escaping Ending
  ) throws {
    request.method == "PUT"
      ? try put(id, request, in: space, done: done)
      : try delete(id, request, in: space, done: done)
  }

  /// `GET` and `HEAD /v1/projects/{id}`.
  func record(_ id: ProjectID, _ request: Request, in space: String) throws -> Response {
    let known = try request.field("If-None-Match").map { try EntityTags($0) }
    let found = try read(space) { connection, space in try connection.record(id, in: space) }
    guard let found else { throw Problem.absent(id) }
    let tag = found.tag.description
    let response =
      known?.matchesWeakly(tag) == true
      ? Response(304) : Response(200, type: "application/json", body: found.json)
    return response.adding("ETag", tag).adding("Cache-Control", "private, no-cache")
  }

  private func put(
    _ id: ProjectID, _ request: Request, in space: String, done: @escaping Ending
  ) throws {
    let conditions = try request.conditions
    let record = try SubmittedRecord(json: request.body, named: id)
    let isMinimal = request.prefersMinimal
    write(space, done: done) { connection, space in
      try connection.put(record, if: conditions, in: &space)
    } answer: { [self] end in
      switch end {
      case .created(let tag): return stored(record, tag, 201, isMinimal: isMinimal)
      case .replaced(let tag): return stored(record, tag, 200, isMinimal: isMinimal)
      case .deletedSince(let tag):
        var problem = Problem(410, "the record was here in this very version, and was deleted")
        problem.headers = [("ETag", tag.description)]
        throw problem
      default: throw Problem.preconditionFailed
      }
    }
  }

  private func stored(
    _ record: SubmittedRecord, _ tag: RecordTag, _ status: Int, isMinimal: Bool
  ) -> Response {
    let response =
      isMinimal
      ? Response(204).adding("Preference-Applied", "return=minimal")
      : Response(status, type: "application/json", body: record.json)
    return response.adding("ETag", tag.description)
  }

  private func delete(
    _ id: ProjectID, _ request: Request, in space: String, done: @escaping Ending
  ) throws {
    let conditions = try request.conditions
    write(space, done: done) { connection, space in
      try connection.delete(id, if: conditions, in: &space)
    } answer: { end in
      switch end {
      case .deleted: return Response(204)
      case .absent: throw Problem.absent(id)
      default: throw Problem.preconditionFailed
      }
    }
  }

  /// Changes a space in a durable transaction, and tells those who follow it.
  ///
  /// - Parameters:
  ///   - body: changes it.
  ///   - answer: what is said of it, once it is on the disk.
  func write<Value: Sendable>(
    _ name: String, done: @escaping Ending,
    _ body: @escaping @Sendable (StoreConnection, inout Space) throws -> Value,
    answer: @escaping @Sendable (Value) throws -> Response
  ) {
    store.writeSoon { [limits] connection -> (Value, Space?) in
      var space = try connection.space(named: name)
      let before = space
      let result = try body(connection, &space)
      guard space != before else { return (result, nil) }
      try connection.trimTombstones(of: &space, to: limits.tombstones)
      try connection.save(space)
      return (result, space)
    } done: { [announcements] written in
      done(
        Result {
          let (value, changed) = try written.get()
          if let changed { announcements.announce(changed) }
          return try answer(value)
        })
    }
  }
}

extension SubmittedRecord {
  /// Reads a body that is one record.
  ///
  /// - Throws: `Problem` 400 or 422.
  init(json bytes: [UInt8], named id: ProjectID) throws(Problem) {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw Problem(400, "the body is not UTF-8")
    }
    try self.init(bytes, in: 0..<bytes.count, named: id)
  }
}
