/// WebDAV: a folder of files named `<id>.json`. RFC 4918.
///
/// `remote.url` is the folder. A record's version is the entity tag that the listing tells, or where it
/// tells none, when the file was changed and how long it is. The listing tells no stamps.
struct WebDAVDialect: Dialect {
  static let word = RemoteOptions.Dialect.webdav
  let context: DialectContext

  init(_ context: DialectContext) {
    self.context = context
  }

  /// Nextcloud and ownCloud have their files nowhere else.
  static func recognises(_ address: RemoteAddress) -> Bool {
    ["/remote.php/dav/files/", "/remote.php/webdav/"].contains { address.path.contains($0) }
  }

  static func fault(ofID id: String) -> String? { WebDAVFile.fault(ofID: id) }

  var traits: DialectTraits {
    var traits = DialectTraits()
    (traits.writesAtOnce, traits.fetchesPerRequest) = (2000, 1)
    traits.conditions = .looked
    return traits
  }

  func probe() throws -> HTTPRequest { listing(depth: 0) }

  func words(of status: Int) -> String? {
    switch status {
    case 404, 409, 410: "there is no such folder; make it on the server, for syncd makes none"
    case 405, 501: "the server does not do WebDAV here, or this folder may only be read"
    case 413: "it is larger than the server takes"
    case 423: "it is locked by another program, and tried again by the next run"
    case 507: "there is no room left on the server"
    default: nil
    }
  }

  // MARK: Listing

  var syntax: ListingSyntax { .multistatus(folder: context.address.path) }

  func firstPage() throws -> HTTPRequest { listing(depth: 1) }

  /// The whole folder is one answer.
  func page(after page: ListedPage, of request: HTTPRequest) throws -> HTTPRequest? {
    context.learned["files"] = String(page.count)
    return nil
  }

  func listing(depth: Int) -> HTTPRequest {
    let properties = ["getetag", "getlastmodified", "getcontentlength", "resourcetype"]
    let wanted = properties.map { "<\($0)/>" }.joined()
    let body = """
      <?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop>\(wanted)</prop></propfind>
      """
    var request = context.request(.propfind, at: "/")
    request.body = .bytes(Array(body.utf8))
    request.headers["Depth"] = "\(depth)"
    request.headers["Content-Type"] = "application/xml"
    request.headers["Accept"] = "application/xml, text/xml"
    return request
  }

  func listed(_ element: [UInt8]) throws(UnreadableRecord) -> ListedRecord? {
    let file = WebDAVFile(element)
    let id = try file.id(context.ids)
    if let fault = file.fault { throw UnreadableRecord(id: id.string, reason: fault) }
    guard let version = file.version else {
      throw UnreadableRecord(
        id: id.string, reason: "the server tells nothing of its file by which a change would show")
    }
    namesTags = file.etag != nil
    return .digest(RemoteDigest(id: id, updatedAt: nil, version: version))
  }

  /// Whether versions are entity tags; nil before a listing has shown it.
  var namesTags: Bool? {
    get { context.learned["tags"].map { $0 == "yes" } }
    nonmutating set { context.learned["tags"] = newValue.map { $0 ? "yes" : "no" } }
  }

  // MARK: Records

  func fetching(_ ids: [ProjectID]) throws -> HTTPRequest { request(.get, ids[0]) }

  private func request(_ method: HTTPMethod, _ id: ProjectID) -> HTTPRequest {
    context.request(method, at: "/\(context.segment(id))\(WebDAVFile.suffix)")
  }

  func found(in response: HTTPResponse, of id: ProjectID) throws -> FetchOutcome? {
    switch response.status {
    case 200, 203: break
    case 404, 410: return .absent
    default:
      return .refused(
        status: response.status, message: context.session.words(of: response))
    }
    if let type = MediaType(response.headers), type.isHTML {
      throw context.violation(
        response.head, "answered with an HTML page where a record should be: a proxy speaking")
    }
    do {
      var record = try context.whole(response.body).record
      guard record.project.id == id else {
        throw UnreadableRecord(
          id: id.string,
          reason:
            "the server has \(record.project.id) under its file's name, and takes the two for one")
      }
      let file = WebDAVFile(response.head, length: response.body.count, hasTags: namesTags == true)
      guard let version = file.version else {
        throw UnreadableRecord(
          id: id.string, reason: "the server does not tell its version where it gives its contents")
      }
      record.version = version
      record.etag = nil
      record.age = WebDAVFile.age(of: response.head)
      return .record(record)
    } catch let fault as UnreadableRecord {
      return .unreadable(UnreadableRecord(id: id.string, reason: fault.reason))
    }
  }

  // MARK: Writes

  /// A tag may be weak, and then no condition holds; a version that the listing tells may stand for two
  /// contents. A record is looked at before it is replaced or removed, whatever the server honours.
  func looks(before write: RemoteWrite) -> Bool {
    !(write.condition.wantsNone && honoursConditions == true)
  }

  func writing(_ writes: [EncodedWrite]) throws -> HTTPRequest {
    let write = writes[0]
    var request: HTTPRequest
    if case .put = write.write {
      request = self.request(.put, write.id)
      request.body = .bytes(write.body)
      request.headers["Content-Type"] = "application/json"
    } else {
      request = self.request(.delete, write.id)
    }
    if write.write.condition.wantsNone {
      request.headers["If-None-Match"] = "*"
    } else if namesTags == true, let tag = write.seen.flatMap({ EntityTag(strong: $0.raw) }) {
      request.headers["If-Match"] = tag.text
    }
    return request
  }

  func outcomes(of response: HTTPResponse, _ writes: [EncodedWrite]) throws -> [ItemOutcome]? {
    guard case .put = writes[0].write else { return [.deleted] }
    if namesTags == true, response.status != 202, let tag = response.headers["ETag"] {
      return [.stored(version: Version(tag), etag: nil, updatedAt: nil)]
    }
    return [.unnamed(at: response.headers["Date"].flatMap { Timestamp(httpDate: $0) })]
  }

  /// 404 and 409 say that the folder is not there.
  func concernsAll(_ response: HTTPResponse) -> Bool {
    [401, 403, 404, 405, 409, 410, 501].contains(response.status)
  }
}
