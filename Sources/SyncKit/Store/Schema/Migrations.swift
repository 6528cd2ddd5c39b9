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

  static let store = Migrations(steps: [Migration(version: 1, sql: Schema.version1)])

  /// The newest version it knows.
  var newest: Int64 { steps.last?.version ?? 0 }

  /// Takes every step that is still to be taken. A step and its `user_version` commit together.
  func run(on database: Database) throws {
    for step in steps {
      try database.transaction(.immediate) {
        guard try database.integer("PRAGMA user_version") ?? 0 < step.version else { return }
        try database.execute(step.sql)
        try database.execute("PRAGMA application_id=\(Schema.applicationID)")
        try database.execute("PRAGMA user_version=\(step.version)")
      }
    }
  }
}
