extension LocalStore {
  /// Makes sure that the file is still sound before a run believes anything in it. Also finds out
  /// whether it was restored.
  ///
  /// - Parameter marking: whether a store that was restored takes note of it.
  /// - Throws: `.store` when it is damaged, or is not the file any more that was opened.
  package func verifyIntegrity(marking: Bool = true) throws(SyncError) {
    guard !isInMemory else { return }
    try reporting {
      try file.verify()
      restored = try Lineage.isRestored(
        database, storeID: storeID, sidecar: sidecar, marking: marking && access == .readWrite)
    }
  }

  /// Looks at everything: pages, indices, constraints and references.
  ///
  /// - Throws: `.store` with what was found.
  public func check() throws(SyncError) {
    try reporting {
      try database.execute("PRAGMA shrink_memory")
      try StoreFile.expectSound(database, "PRAGMA integrity_check(1)")
      if let table = try database.text("PRAGMA foreign_key_check") {
        throw SyncError(damaged: path, finding: "\(table) refers to a row that is gone")
      }
    }
  }

  /// Whether the store is an older copy of itself, put back in place: what it lacks may be there
  /// because it came later, and is no deletion.
  package var isRestored: Bool { restored }

  /// Forgets that the store was restored, once somebody has said that it is to be believed.
  package func clearRestored() throws(SyncError) {
    try writing {
      try database.run("UPDATE syncd_store SET restored=0")
      try Lineage.rotate(database, storeID: storeID, sidecar: sidecar)
    }
    Lineage.settle(database, sidecar: sidecar)
    restored = false
  }
}
