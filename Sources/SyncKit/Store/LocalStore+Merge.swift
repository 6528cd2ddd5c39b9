/// A merged version that takes the place of both sides' versions.
package struct MergedVersion: Sendable, Equatable {
  /// The merged contents; the stamp is made when they are written.
  package var project: Project
  /// What the remote holds.
  package var remote: RemoteRecord
  /// The local version that was merged.
  package var expected: Timestamp

  package init(project: Project, remote: RemoteRecord, expected: Timestamp) {
    self.project = project
    self.remote = remote
    self.expected = expected
  }
}

extension LocalStore {
  /// Writes merged versions, in one transaction that is on the disk when this returns.
  ///
  /// It is as if the remote's version had been taken over and then edited: the base says that both
  /// sides agreed on it, and the merged version, under a greater stamp than both, is an ordinary
  /// change that is still to be sent. Both former versions are in the history.
  ///
  /// - Parameter replanning: whether the plan that is being carried out is to send what was merged.
  /// - Returns: for each the merged record; nil where the local record is no longer the one that was
  ///   merged, or the schema refuses it.
  package func merge(
    _ versions: [MergedVersion], remote: Int64, replanning: Bool = false
  ) throws(SyncError) -> [Project?] {
    guard !versions.isEmpty else { return [] }
    return try changingBase {
      try database.run("UPDATE syncd_store SET applying=1, seq=seq+1")
      let merged = try versions.map { version in
        try attempt {
          let project = try merge(version, remote: remote)
          if replanning, let project { try replan(project, over: version.remote) }
          return project
        }
      }
      try database.run("UPDATE syncd_store SET applying=0")
      return merged
    }
  }

  private func merge(_ version: MergedVersion, remote: Int64) throws -> Project? {
    let id = version.project.id
    guard try stamp(of: id) == version.expected else { return nil }
    try keepCurrent(id, reason: .merged)
    // The newest version under its stamp: what the base names is found by that.
    try keepNewest(KeptVersion(project: version.remote.project, origin: .remote, reason: .merged))
    var project = version.project
    project.updatedAt = try nextStamp(of: id)
    try write(project)
    try write(
      .agreed(
        id, localUpdatedAt: version.remote.project.updatedAt,
        remoteVersion: version.remote.version, etag: version.remote.etag, same: true),
      remote: remote)
    try database.prepare(Journal.note).run([.text(id.string), .text("put")])
    try forgetSetAside(id, remote: remote)
    return try existing(id)
  }

  /// A stamp greater than that of any version in the history, and not behind the clock. Past the last
  /// stamp there is, only a different one can be had.
  private func nextStamp(of id: ProjectID) throws -> Timestamp {
    let newest = "(SELECT max(updated_at) FROM syncd_history WHERE id=?1)"
    let stamp = try database.integer(
      """
      SELECT CASE WHEN \(newest)<9223372036854775807 THEN max(\(Schema.now), \(newest)+1)
        ELSE \(Schema.now) END
      """, [.text(id.string)])
    return Timestamp(microseconds: stamp ?? 0)
  }

  /// Has the plan send what was merged.
  private func replan(_ merged: Project, over remote: RemoteRecord) throws {
    try database.run(
      """
      UPDATE temp.plan SET action=?1, local_updated_at=?4, base_local=?5, base_version=?6,
          base_etag=?7, base_same=1
        WHERE action=?2 AND id=?3
      """,
      [
        .integer(PlanAction.updateRemote.rawValue), .integer(PlanAction.conflictMerges.rawValue),
        .text(merged.id.string), .integer(merged.updatedAt.microseconds),
        .integer(remote.project.updatedAt.microseconds), .text(remote.version.raw),
        SQLValue(remote.etag),
      ])
  }
}
