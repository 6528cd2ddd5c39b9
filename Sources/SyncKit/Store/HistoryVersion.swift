/// A version of a project that something took the place of.
public struct HistoryVersion: Sendable, Equatable {
  /// Why a version is no longer the current one.
  public enum Reason: String, Sendable {
    case edited
    case deleted
    /// Another row took its place by `INSERT OR REPLACE`.
    case replaced
    /// A run wrote the other side's version over it.
    case overwritten
    /// It lost a conflict, or waits in one.
    case conflict
    /// It was merged with the other side's version.
    case merged
  }

  /// Grows with time; unique within the store.
  public var version: Int64
  public var project: Project
  /// The side that held it.
  public var origin: Side
  public var reason: Reason
  /// When it was superseded.
  public var at: Timestamp

  public init(
    version: Int64, project: Project, origin: Side, reason: Reason, at: Timestamp
  ) {
    self.version = version
    self.project = project
    self.origin = origin
    self.reason = reason
    self.at = at
  }
}

/// A version to be kept in the history before it is lost.
package struct KeptVersion: Sendable, Equatable {
  package var project: Project
  package var origin: Side
  package var reason: HistoryVersion.Reason

  package init(project: Project, origin: Side, reason: HistoryVersion.Reason) {
    self.project = project
    self.origin = origin
    self.reason = reason
  }

  /// A remote's version, with all that goes with it.
  package init(of record: RemoteRecord, reason: HistoryVersion.Reason) {
    self.init(
      project: reason == .deleted ? record.whole : record.project, origin: .remote, reason: reason)
  }
}

extension LocalStore {
  /// Superseded versions of one side that are kept of one project, however young they are.
  public static let versionsKept = 200
}
