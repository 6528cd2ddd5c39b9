extension LocalStore {
  /// Makes sure that the file is sound before anything in it is believed: looks at every page,
  /// unless the file is as the last run left it. Also finds out whether it was restored.
  ///
  /// - Throws: `.store` when it is damaged, or is not the file any more that was opened.
  package func verifyIntegrity() throws(SyncError) {
    guard let sidecar else { return }
    guard let state = FileState(path: path), state.inode == inode else {
      throw SyncError(
        .store,
        "\(path) was moved or replaced while it was in use; start again to use the file"
          + " that is there now")
    }
    guard state.size > 0 else { throw SyncError(damaged: path, finding: "it is empty") }
    let known = sidecar.read()
    try reporting {
      if known.store != storeID || known.file != state {
        // Pages that this connection holds in memory would hide what happened to the file.
        // The rules of our own columns are no sign of damage, and looking at them costs the most.
        try database.execute("PRAGMA shrink_memory; PRAGMA ignore_check_constraints=ON")
        defer { try? database.execute("PRAGMA ignore_check_constraints=OFF") }
        try expectSound("PRAGMA quick_check(1)")
      }
      isVerified = true
      restored = try Lineage.isRestored(
        database, storeID: storeID, sidecar: sidecar, marking: access == .readWrite)
    }
  }

  /// Looks at everything: pages, indices, constraints and references.
  ///
  /// - Throws: `.store` with what was found.
  public func check() throws(SyncError) {
    try reporting {
      try database.execute("PRAGMA shrink_memory")
      try expectSound("PRAGMA integrity_check(1)")
      if let table = try database.text("PRAGMA foreign_key_check") {
        throw SyncError(damaged: path, finding: "\(table) refers to a row that is gone")
      }
    }
  }

  private func expectSound(_ pragma: String) throws {
    let finding = try database.text(pragma) ?? "nothing"
    guard finding == "ok" else {
      let line = finding.split(separator: "\n").last.map(String.init) ?? finding
      throw SyncError(damaged: path, finding: line)
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
