/// One entry of a remote's listing: what set arithmetic needs, and no contents.
public struct RemoteDigest: Sendable, Equatable {
  public var id: ProjectID
  /// The record's stamp; nil where the listing does not tell it and its contents alone do.
  public var updatedAt: Timestamp?
  public var version: Version
  /// The entity tag for `If-Match`, exactly as the remote wrote it; nil where it has none.
  public var etag: String?

  public init(id: ProjectID, updatedAt: Timestamp?, version: Version, etag: String? = nil) {
    self.id = id
    self.updatedAt = updatedAt
    self.version = version
    self.etag = etag
  }
}

extension RemoteDigest {
  /// What set arithmetic needs of it.
  package var entry: RemoteEntry { RemoteEntry(updatedAt: updatedAt, version: version) }

  /// What was agreed on where this version was the local store's own before it was changed or deleted
  /// there: it was sent, and the acknowledgement was lost. It is no conflict then, and nothing new.
  package var agreement: BaseEntry {
    // Where the stamp is not told, there is no local record to compare it with.
    BaseEntry(
      localUpdatedAt: updatedAt ?? Timestamp(microseconds: 0), remoteVersion: version)
  }
}

/// A record as a remote holds it: the contents and what the remote says of them.
public struct RemoteRecord: Sendable, Equatable {
  public var project: Project
  public var version: Version
  /// The entity tag for `If-Match`; nil where the remote has none.
  public var etag: String?
  /// What the remote keeps beside the record's fields and `extra`: the further columns of a table. A
  /// write leaves them, a deletion takes them along.
  package var others = ExtraMembers.none
  /// How long before it was read the remote wrote it, by the remote's own clock, where it says so.
  package var age: Duration?

  public init(project: Project, version: Version, etag: String? = nil) {
    self.project = project
    self.version = version
    self.etag = etag
  }

  public var digest: RemoteDigest {
    RemoteDigest(id: project.id, updatedAt: project.updatedAt, version: version, etag: etag)
  }

  /// The record with all that goes when it is deleted: what the remote keeps beside it is the member
  /// `syncd:remote` of `extra`.
  package var whole: Project {
    guard !others.json.isEmpty else { return project }
    var whole = project
    let members = project.extra.json.isEmpty ? "{" : "\(project.extra.json.dropLast()),"
    whole.extra = ExtraMembers(trusted: "\(members)\"syncd:remote\":\(others.json)}")
    return whole
  }
}

/// A record that cannot be taken over as it is: which one, as far as can be told, and why.
public struct UnreadableRecord: Error, Sendable, Equatable, CustomStringConvertible {
  /// The id's text as it came, cut to 255 bytes; empty when there is none.
  public var id: String
  public var reason: String

  public init(id: String, reason: String) {
    self.id = String(decoding: id.utf8.prefix(ProjectID.maximumBytes), as: UTF8.self)
    self.reason = reason
  }

  public var description: String { id.isEmpty ? reason : "\(id): \(reason)" }
}

/// One entry of a listing.
public enum ListedRecord: Sendable, Equatable {
  case digest(RemoteDigest)
  /// The listing carried the whole record.
  case record(RemoteRecord)
  /// An entry that names no usable id or stamp.
  case unreadable(UnreadableRecord)
}

/// What became of one record since some moment.
public enum RemoteChange: Sendable, Equatable {
  /// The remote holds it, as this.
  case stored(RemoteDigest)
  /// The remote holds it no more, by somebody's wish.
  case deleted(ProjectID)
  /// The remote does not hold it, and says no more.
  case absent(ProjectID)
}
