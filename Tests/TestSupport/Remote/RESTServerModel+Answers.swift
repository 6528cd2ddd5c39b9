import SyncKit

extension RESTServerModel.State {
  mutating func store(_ project: Project) {
    revision += 1
    var project = project
    project.updatedAt = habits.stamp(project.updatedAt)
    records[project.id] = RESTServerModel.Stored(project: project, revision: revision)
  }

  mutating func answer(_ request: HTTPRequest) -> ScriptedAnswer {
    if let token = habits.token, request.headers["Authorization"] != "Bearer \(token)" {
      return .json("{\"title\":\"bad token\"}", status: 401)
    }
    let target = RESTServerModel.path(of: request.url)
    let path = String(target.prefix { $0 != "?" })
    if path == habits.path || path == habits.path + "/" { return listing(target) }
    guard path.hasPrefix(habits.path + "/"),
      let id = Self.decoded(path.dropFirst(habits.path.utf8.count + 1))
    else { return ScriptedAnswer(404, body: "<html>", type: "text/html") }
    switch request.method {
    case .get: return record(id)
    case .put: return put(id, request)
    case .delete: return delete(id, request)
    default: return ScriptedAnswer(405)
    }
  }

  private func listing(_ target: String) -> ScriptedAnswer {
    let after = Self.parameter("after", in: target)
    let sorted = records.values.sorted { $0.project.id < $1.project.id }
    let rest = sorted.filter { stored in after.map { stored.project.id.string > $0 } ?? true }
    let page = rest.prefix(habits.pageSize ?? .max)
    var answer = ScriptedAnswer.json(
      "[" + page.map { entry($0) }.joined(separator: ",") + "]")
    if habits.total { answer.headers["X-Total-Count"] = String(records.count) }
    if page.count < rest.count, let last = page.last?.project.id {
      answer.headers["Link"] =
        "<\(habits.path)?after=\(last.string)>; rel=\"next\", <\(habits.path)>; rel=first"
    }
    return answer
  }

  private func entry(_ stored: RESTServerModel.Stored) -> String {
    var text: String
    if habits.listsRecords {
      text = String(decoding: encoded(stored.project), as: UTF8.self)
    } else {
      var bytes: [UInt8] = Array("{\"\(habits.fields.id)\":".utf8)
      bytes.append(jsonString: stored.project.id.string)
      text = String(decoding: bytes, as: UTF8.self)
      text += ",\"\(habits.fields.updatedAt)\":\"\(stored.project.updatedAt)\"}"
    }
    if habits.listsETags {
      var tag: [UInt8] = []
      tag.append(jsonString: self.tag(stored))
      text = text.dropLast() + ",\"etag\":\(String(decoding: tag, as: UTF8.self))}"
    }
    return text
  }

  private func record(_ id: ProjectID) -> ScriptedAnswer {
    guard let stored = records[id] else {
      return .json("{\"detail\":\"no such project\"}", status: 404)
    }
    return tagged(
      ScriptedAnswer(200, bytes: encoded(stored.project), type: "application/json"), stored)
  }

  private mutating func put(_ id: ProjectID, _ request: HTTPRequest) -> ScriptedAnswer {
    if let refusal = condition(of: request, on: id) { return refusal }
    guard case .bytes(let body) = request.body,
      let record = try? RecordDecoder(fields: habits.fields).record(body),
      record.project.id == id
    else { return .json("{\"detail\":\"not a project\"}", status: 422) }
    let isNew = records[id] == nil
    store(record.project)
    guard let stored = records[id] else { return ScriptedAnswer(500) }
    switch habits.reply {
    case .record:
      return tagged(
        ScriptedAnswer(
          isNew ? 201 : 200, bytes: encoded(stored.project), type: "application/json"), stored)
    case .empty: return tagged(ScriptedAnswer(204), stored)
    case .text: return ScriptedAnswer(200, body: "OK", type: "text/plain")
    }
  }

  private mutating func delete(_ id: ProjectID, _ request: HTTPRequest) -> ScriptedAnswer {
    guard records[id] != nil else { return ScriptedAnswer(404) }
    if let refusal = condition(of: request, on: id) { return refusal }
    records[id] = nil
    return ScriptedAnswer(204)
  }

  /// The refusal of a request whose condition does not hold. RFC 9110, section 13.2.2.
  private func condition(of request: HTTPRequest, on id: ProjectID) -> ScriptedAnswer? {
    let current = records[id]
    if habits.honoursUpdates, let wanted = request.headers["If-Match"] {
      guard let current, !habits.isWeak, wanted == tag(current) else {
        return .json("{\"title\":\"changed\"}", status: 412)
      }
    }
    if habits.honoursCreates, request.headers["If-None-Match"] == "*", current != nil {
      return .json("{\"title\":\"exists\"}", status: 412)
    }
    return nil
  }

  private func tag(_ stored: RESTServerModel.Stored) -> String {
    "\(habits.isWeak ? "W/" : "")\"\(stored.revision)\""
  }

  private func tagged(
    _ answer: ScriptedAnswer, _ stored: RESTServerModel.Stored
  ) -> ScriptedAnswer {
    var answer = answer
    if habits.hasETags { answer.headers["ETag"] = tag(stored) }
    return answer
  }

  private func encoded(_ project: Project) -> [UInt8] {
    RecordEncoder(fields: habits.fields).encode(project)
  }

  private static func parameter(_ name: String, in target: String) -> String? {
    guard let query = target.split(separator: "?", maxSplits: 1).dropFirst().first else {
      return nil
    }
    let pairs = query.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
    return pairs.first { $0[0] == name && $0.count == 2 }.map { String($0[1]) }
  }

  /// Undoes percent-encoding; nil where the segment is none or holds another one.
  private static func decoded(_ segment: Substring) -> ProjectID? {
    var bytes: [UInt8] = []
    var rest = Array(segment.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "/") { return nil }
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      guard let value = UInt8(digits, radix: 16) else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self).flatMap { try? ProjectID($0) }
  }
}
