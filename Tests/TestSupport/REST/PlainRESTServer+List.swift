import SyncKit

extension PlainRESTServer.State {
  func list(_ request: WireRequest) -> WireScript {
    let all = records.values.sorted { $0.project.id < $1.project.id }
    let start = request.query["offset"].flatMap { Int($0) } ?? 0
    let size = behaviour.pageSize ?? all.count
    let page = all.dropFirst(start).prefix(size)
    var headers: HTTPHeaders = [:]
    if behaviour.statesTotal { headers["X-Total-Count"] = "\(all.count)" }
    if start + page.count < all.count {
      headers["Link"] = "</projects?offset=\(start + size)>; rel=\"next\""
    }
    return .json("[" + page.map(entry).joined(separator: ",") + "]", headers: headers)
  }

  private func entry(_ stored: PlainRESTServer.Stored) -> String {
    let project = stored.project
    var entry = String(decoding: RecordEncoder().encode(project), as: UTF8.self)
    if behaviour.listsDigests {
      var bytes: [UInt8] = []
      bytes.append(json: "{")
      bytes.appendMember("id", string: project.id.string, first: true)
      bytes.appendMember("updatedAt", string: project.updatedAt.description)
      bytes.append(json: "}")
      entry = String(decoding: bytes, as: UTF8.self)
    }
    if behaviour.hasETags, behaviour.listsETags {
      var bytes: [UInt8] = []
      bytes.appendMember("etag", string: stored.etag)
      entry.removeLast()
      entry += String(decoding: bytes, as: UTF8.self) + "}"
    }
    return entry
  }
}
