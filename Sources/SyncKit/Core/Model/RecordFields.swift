/// What a remote calls the fields of a record, and in what form it keeps them.
///
/// A field's place is the name of a top-level member, or a JSON pointer (RFC 6901) to one that is
/// nested in objects: `/fields/title`. What a record holds beside the named fields stays where it is.
public struct RecordFields: Sendable, Equatable {
  public var id = "id"
  public var title = "title"
  public var body = "body"
  public var state = "state"
  public var dueAt = "dueAt"
  public var createdAt = "createdAt"
  public var updatedAt = "updatedAt"
  /// The member in which a listing may carry a record's ETag; empty for none.
  public var etag = "etag"
  /// The member in which a listing may carry a record's revision; empty for none.
  public var version = "version"
  /// Where the members are that syncd does not know.
  public var extra = ExtraPlace.members
  /// The remote's words for states, by ours: `["todo": "TODO"]`. A state without one is kept as it is.
  public var states: [String: String] = [:]
  public var createdAtForm = StampForm.rfc3339
  public var updatedAtForm = StampForm.rfc3339

  public init() {}

  /// Our own names, as `--json` and the reference remote use them.
  public static let standard = RecordFields()

  /// Where a remote keeps the members that syncd does not know.
  public enum ExtraPlace: Sendable, Equatable {
    /// Among the record's own, each at the place it has.
    case members
    /// All of them as an object at this place; what else the record has is the server's own.
    case object(String)
    /// All of them as a string at this place, which is the text of a JSON object.
    case text(String)
  }

  /// How a remote writes a moment. What is finer than the form can say is cut off.
  public enum StampForm: String, Sendable, CaseIterable {
    case rfc3339
    /// Numbers since 1970.
    case seconds
    case milliseconds
    case microseconds
  }
}

extension RecordFields {
  /// Whether every field is a top-level member in our own form.
  package var isFlat: Bool {
    let places = [id, title, body, state, dueAt, createdAt, updatedAt, etag, version]
    return extra == .members && states.isEmpty && !etag.isEmpty && !version.isEmpty
      && createdAtForm == .rfc3339
      && updatedAtForm == .rfc3339 && !places.contains { $0.hasPrefix("/") }
  }

  /// The names that lead to a place.
  package static func path(of place: String) -> [String] {
    guard place.hasPrefix("/") else { return [place] }
    return place.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
      $0.split(separator: "~1", omittingEmptySubsequences: false).joined(separator: "/")
        .split(separator: "~0", omittingEmptySubsequences: false).joined(separator: "~")
    }
  }

  /// Why these fields cannot be used together; nil where they can.
  public var fault: String? {
    do {
      _ = try RecordShape(self)
      return nil
    } catch {
      return error.reason
    }
  }
}

/// A record, or an arrangement of fields, that a remote cannot hold without changing it.
package struct UnholdableRecord: Error, Sendable, Equatable, CustomStringConvertible {
  package var reason: String

  package init(_ reason: String) {
    self.reason = reason
  }

  package var description: String { reason }
}
