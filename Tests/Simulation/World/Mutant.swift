import SyncKit

/// A rule broken on purpose, to see that the checks find it.
package struct Mutant: Sendable {
  package let name: String
  /// Put between the engine and the remote.
  var wrap: @Sendable (any RemoteStore) -> any RemoteStore = { $0 }
  /// Changes what the engine is told.
  var amend: @Sendable (SyncOptions) -> SyncOptions = { $0 }
  /// SQL that is run on every store once it is open.
  var sql: String?

  init(_ name: String) {
    self.name = name
  }

  package static let none = Mutant("none")

  func prepare(_ device: Device) {
    guard let sql else { return }
    _ = try? device.visit().execute(sql)
  }
}
