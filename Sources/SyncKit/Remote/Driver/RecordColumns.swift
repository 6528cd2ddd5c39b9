/// The names of a record's fields on a server whose records are rows: each field is a column.
struct RecordColumns: Sendable {
  let id: String
  let stamp: String
  let due: String
  let created: String
  /// Every column that is read and written.
  let all: [String]

  /// - Throws: `SyncError` with `.configuration` where a field is nested in another.
  init(_ context: DialectContext) throws(SyncError) {
    let fields = context.codec.fields
    var places = [
      fields.id, fields.title, fields.body, fields.state, fields.dueAt, fields.createdAt,
      fields.updatedAt,
    ]
    switch fields.extra {
    case .object(let place), .text(let place): places.append(place)
    case .members: break
    }
    let paths = places.map(RecordFields.path(of:))
    guard paths.allSatisfy({ $0.count == 1 }) else {
      throw SyncError(
        .configuration, "remote.fields: this dialect has no nested fields, each is one of its own")
    }
    all = paths.map { $0[0] }
    (id, due, created, stamp) = (all[0], all[4], all[5], all[6])
  }

  /// Those that hold moments other than the stamp.
  var times: [String] { [due, created] }
}
