/// Writes, each with a condition on `currentDocument`: one by one with a result each, or, where a token
/// may not, all or nothing.
extension FirestoreDialect {
  private var hasResults: Bool { context.learned["write"] == "batchWrite" }

  /// Somebody with a token of an app may only write all or nothing.
  func learn() async throws {
    let answer = try await context.session.send(
      record: context.request(
        .post, root: collection.root + ":batchWrite", json: Array("{\"writes\":[]}".utf8)))
    guard case .response(let response, _) = answer else { return }
    context.learned["write"] = response.head.isSuccess ? "batchWrite" : "commit"
  }

  func writing(_ writes: [EncodedWrite]) throws -> HTTPRequest {
    var body: [UInt8] = []
    for write in writes {
      body.append(json: body.isEmpty ? "{\"writes\":[{" : ",{")
      let condition: WriteCondition
      switch write.write {
      case .put(_, let asked):
        condition = asked
        try append(document: write, to: &body)
      case .delete(_, let asked):
        condition = asked
        body.appendMember("delete", string: name(of: write.id), first: true)
      }
      body.append(json: ",\"currentDocument\":{")
      switch condition {
      case .absent, .new, .lost: body.append(json: "\"exists\":false")
      case .matches(let digest):
        body.appendMember("updateTime", string: digest.version.raw, first: true)
      }
      body.append(json: "}}")
    }
    body.append(json: "]}")
    let operation = hasResults ? ":batchWrite" : ":commit"
    return context.request(.post, root: collection.root + operation, json: body)
  }

  /// Only our own fields are written; what else a document holds stays. A field that the mask names and
  /// the document lacks is removed: a creation date that nobody knows, and `extra` where it is empty.
  private func append(document write: EncodedWrite, to body: inout [UInt8]) throws {
    body.append(json: "\"update\":{")
    body.appendMember("name", string: name(of: write.id), first: true)
    body.append(json: ",\"fields\":{")
    var isFirst = true
    for (column, value) in zip(columns, try values(of: write.body)) {
      let isExtra = column.name == columns[columns.count - 1].name
      guard let value, !isExtra || value != Array("\"\"".utf8) else { continue }
      body.append(json: isFirst ? "" : ",")
      isFirst = false
      body.append(jsonString: column.name)
      body.append(json: ":")
      column.type.append(value, to: &body)
    }
    body.append(json: "}},\"updateMask\":{\"fieldPaths\":[")
    for (index, column) in columns.enumerated() {
      body.append(json: index == 0 ? "" : ",")
      body.append(jsonString: Self.path(of: column.name))
    }
    body.append(json: "]}")
  }

  // MARK: Results

  func outcomes(of response: HTTPResponse, _ writes: [EncodedWrite]) throws -> [ItemOutcome]? {
    guard let results = elements(of: response.body, at: "writeResults"),
      results.count == writes.count
    else { return nil }
    var states: [[UInt8]] = writes.map { _ in Array("{}".utf8) }
    if hasResults {
      guard let status = elements(of: response.body, at: "status"), status.count == writes.count
      else { return nil }
      states = status
    }
    return writes.indices.map { index in
      let state = JSONScanner(states[index])
      let code = state.text(at: ["code"]).flatMap { Int($0) } ?? 0
      if code != 0 {
        return outcome(of: code, state.text(at: ["message"]) ?? "code \(code)", writes[index])
      }
      if case .delete = writes[index].write { return .deleted }
      let time = JSONScanner(results[index]).text(at: ["updateTime"])
      return .stored(version: time.map { Version($0) }, etag: nil, updatedAt: nil)
    }
  }

  private func elements(of body: [UInt8], at name: String) -> [[UInt8]]? {
    var elements: [[UInt8]] = []
    var stream = JSONElementStream(path: [name])
    do {
      try stream.consume(body) { elements.append($0) }
      _ = try stream.finish()
      return elements
    } catch {
      return nil
    }
  }

  /// What one of gRPC's codes means for a write.
  private func outcome(of code: Int, _ message: String, _ write: EncodedWrite) -> ItemOutcome {
    switch (code, write.write) {
    case (5, .delete): .deleted
    case (5, _), (6, _), (9, _): .conflict
    case (4, _), (8, _), (10, _), (13, _), (14, _): .again(status: 503, message: message)
    case (7, _): .refused(status: 403, message: message)
    case (16, _): .refused(status: 401, message: message)
    default: .refused(status: 400, message: message)
    }
  }

  // MARK: Refusals

  /// A condition on a document that is gone is answered with 404. Where writes go together, the rules
  /// for one document refuse them all.
  func concernsAll(_ response: HTTPResponse) -> Bool {
    switch response.status {
    case 403: return hasResults
    case 404:
      let message = JSONScanner(response.body).text(at: ["error", "message"]) ?? ""
      return !message.hasPrefix("No document")
    default: return [401, 405, 410].contains(response.status)
    }
  }

  func outcome(ofRefusal response: HTTPResponse, _ write: EncodedWrite) -> ItemOutcome {
    let message = context.session.words(of: response)
    switch JSONScanner(response.body).text(at: ["error", "status"]) {
    case "NOT_FOUND": return outcome(of: 5, message, write)
    case "ALREADY_EXISTS", "FAILED_PRECONDITION": return outcome(of: 9, message, write)
    case "ABORTED": return outcome(of: 10, message, write)
    default: return .refused(status: response.status, message: message)
    }
  }
}
