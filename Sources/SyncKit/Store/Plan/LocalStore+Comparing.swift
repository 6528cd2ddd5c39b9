/// What both sides have under one id.
package struct ComparedRecord: Sendable {
  package var id: ProjectID
  package var local: Project?
  /// Whether the remote's listing names the id.
  package var isListed: Bool
  /// The remote's record, where the listing carried it whole.
  package var listed: RemoteRecord?
}

extension LocalStore {
  /// The next ids of either side, in their order, but those whose entry in the listing is at fault.
  ///
  /// - Parameter after: the last id of the page before; nil for the first page.
  package func comparedRecords(
    after: ProjectID?, limit: Int
  ) throws(SyncError) -> [ComparedRecord] {
    try reporting {
      let select = try database.prepare(
        """
        SELECT ids.id, listing.version, listing.etag, listing.record, projects.* FROM (
          SELECT id FROM projects WHERE id > ?1 AND id NOT IN (SELECT id FROM temp.fault)
          UNION SELECT id FROM temp.listing WHERE id > ?1 AND fault IS NULL
          ORDER BY id LIMIT ?2) AS ids
        LEFT JOIN temp.listing ON listing.id = ids.id
        LEFT JOIN (SELECT \(ProjectRow.columns) FROM projects) AS projects ON projects.id = ids.id
        ORDER BY ids.id
        """)
      defer { select.reset() }
      try select.bind([.text(after?.string ?? ""), .integer(Int64(limit))])
      var records: [ComparedRecord] = []
      while try select.step() { records.append(select.comparedRecord) }
      return records
    }
  }
}

extension Statement {
  fileprivate var comparedRecord: ComparedRecord {
    let local = isNull(4) ? nil : ProjectRow.read(self, from: 4)
    var listed: RemoteRecord?
    if !isNull(3), let record = try? RecordDecoder().record(bytes(3)) {
      listed = RemoteRecord(
        project: record.project, version: Version(text(1)), etag: optionalText(2))
    }
    return ComparedRecord(
      id: ProjectID(trusted: text(0)), local: local, isListed: !isNull(1), listed: listed)
  }
}
