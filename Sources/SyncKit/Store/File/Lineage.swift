/// How a store that was restored from an older copy is told.
///
/// The base changes together with a random token in the store, and the sidecar knows the token that
/// the store has and the one it is about to take. A copy from before has an older one. (A copy of
/// store and sidecar together cannot be told.)
enum Lineage {
  /// - Parameter marking: whether the store itself takes note.
  static func isRestored(
    _ database: Database, storeID: String, sidecar: StoreSidecar?, marking: Bool
  ) throws(DatabaseError) -> Bool {
    if try database.integer("SELECT restored FROM syncd_store") == 1 { return true }
    guard let known = sidecar?.read(), known.store == storeID, !known.lineage.isEmpty,
      let token = try database.text("SELECT lineage FROM syncd_store"),
      !known.lineage.contains(token)
    else { return false }
    if marking { try database.run("UPDATE syncd_store SET restored=1") }
    return true
  }

  /// Gives the store a new token, as part of the transaction under way. The sidecar learns it
  /// first, so that a crash at any moment leaves a store whose token the sidecar knows.
  static func rotate(
    _ database: Database, storeID: String, sidecar: StoreSidecar?
  ) throws(DatabaseError) {
    guard let sidecar,
      let current = try database.text("SELECT lineage FROM syncd_store"),
      let next = try database.text("SELECT lower(hex(randomblob(16)))")
    else { return }
    let isKnown = sidecar.update(durably: true) {
      $0.store = storeID
      $0.lineage = [current, next]
    }
    guard isKnown else { return }
    try database.run("UPDATE syncd_store SET lineage=?", [.text(next)])
  }
}
