/// What the store knows about one remote before a run.
package struct RemoteState: Sendable, Equatable {
  /// Names the base; nil when there is none, or it belongs to another remote at the same URL.
  package var key: Int64?
  /// What the remote calls itself, if it does.
  package var remoteID: String?
  /// The collection's version when both sides were last known to be equal.
  package var collectionVersion: CollectionVersion?
  /// Whether the remote honours `If-Match`; nil when it was never tried.
  package var conditional: Bool?
  /// Whether a run with this remote ever succeeded.
  package var hasSynced = false
  /// Whether another remote answers at the URL than the one that the base was made with.
  package var isReplaced = false
  /// Whether it went back to an older state, and no run has gone through since.
  package var isRolledBack = false
  /// When a run last saw both sides whole, rather than what changed, and left them equal.
  package var comparedAt: Timestamp?
  /// When it last would not compare ranges.
  package var incomparableAt: Timestamp?

  package init(key: Int64? = nil) {
    self.key = key
  }
}

/// Something that both sides now agree on.
package enum Acknowledgement: Sendable, Equatable {
  /// Both hold the record: this local version and this remote version.
  ///
  /// `same` is false where only the stamps were found equal, and the contents not looked at;
  /// `remoteUpdatedAt` is nil where the remote's stamp is the local one.
  case agreed(
    ProjectID, localUpdatedAt: Timestamp, remoteVersion: Version, etag: String?, same: Bool,
    remoteUpdatedAt: Timestamp? = nil)
  /// Neither holds it.
  case forgotten(ProjectID)

  package var id: ProjectID {
    switch self {
    case .agreed(let id, _, _, _, _, _), .forgotten(let id): id
    }
  }
}

/// A write to the local store that a run decided on, and the local version it was decided by.
package enum LocalChange: Sendable, Equatable {
  /// `expected` nil: there was no local record.
  case put(RemoteRecord, expected: Timestamp?, reason: HistoryVersion.Reason)
  case delete(ProjectID, expected: Timestamp, reason: HistoryVersion.Reason)
}
