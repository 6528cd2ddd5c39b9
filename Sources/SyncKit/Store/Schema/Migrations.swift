/// One step from a version of the schema to the next.
struct Migration: Sendable {
  /// The `user_version` that the step leads to.
  var version: Int64
  var sql: String
}

/// Brings a database up to date, step by step.
struct Migrations: Sendable {
  /// In order, their versions counting from 1.
  var steps: [Migration]

  static let store = Migrations(steps: [
    Migration(version: 1, sql: Schema.version1),
    Migration(version: 2, sql: Schema.version2),
    Migration(version: 3, sql: Schema.version3),
    Migration(version: 4, sql: Schema.version4),
    Migration(version: 5, sql: Schema.version5),
    Migration(version: 6, sql: Schema.version6),
  ])

  /// The newest version it knows.
  var newest: Int64 { steps.last?.version ?? 0 }

  /// Takes every step that is still to be taken. A step and its `user_version` commit together.
  /// Where there is none to take, nothing is locked.
  func run(on database: Database) throws {
    func isToTake(_ step: Migration) throws -> Bool {
      try database.integer("PRAGMA user_version") ?? 0 < step.version
    }
    for step in steps where try isToTake(step) {
      try database.transaction(.immediate) {
        // Another process may have taken it while this one waited for the lock.
        guard try isToTake(step) else { return }
        try database.execute(step.sql)
        try database.execute("PRAGMA application_id=\(Schema.applicationID)")
        try database.execute("PRAGMA user_version=\(step.version)")
      }
    }
  }
}
