/// What a remote's listing says of a record's version. Versions learned otherwise, from the answer
/// to a write or a fetch, must be of the same form, or the next listing would look like a change.
enum ListingForm: Int, Sendable, Comparable {
  /// Nothing but `updatedAt`.
  case stamp
  /// A member of the record, such as `version`.
  case revision
  case etag

  static func < (lhs: ListingForm, rhs: ListingForm) -> Bool { lhs.rawValue < rhs.rawValue }

  /// The form of the entries; nil where none could be read.
  init?(of entries: [ListedRecord]) {
    var form: ListingForm?
    for entry in entries {
      let digest: RemoteDigest
      switch entry {
      case .digest(let entry): digest = entry
      case .record(let record): digest = record.digest
      case .unreadable: continue
      }
      if digest.etag != nil {
        form = .etag
        break
      }
      let isStamp = digest.updatedAt.map { Version($0) == digest.version } ?? false
      let found: ListingForm = isStamp ? .stamp : .revision
      form = max(form ?? found, found)
    }
    guard let form else { return nil }
    self = form
  }

  /// A record's version as a listing of this form would name it; nil where that is not known.
  ///
  /// - Parameter digest: what was read of the record elsewhere, with the response's `ETag` where
  ///   the record names none.
  func version(of digest: RemoteDigest) -> Version? {
    switch self {
    case .stamp: digest.updatedAt.map { Version($0) }
    case .revision: digest.version
    case .etag: digest.etag.map { Version($0) }
    }
  }
}
