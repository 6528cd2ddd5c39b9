extension Project {
  /// Whether this record can be what a server made of `sent`: it kept the contents, or the stamp as
  /// exactly as it keeps stamps (to the second, to the millisecond, cut or rounded).
  func isStored(from sent: Project) -> Bool {
    hasContents(of: sent) || updatedAt.isKept(from: sent.updatedAt)
      || (title == sent.title && body == sent.body && state == sent.state)
  }
}

extension WriteOutcome {
  /// How a write ended that the remote acknowledged, by what it holds now.
  ///
  /// - Parameter digest: the record's, as a listing would name it.
  static func held(
    _ record: RemoteRecord, sent project: Project, as digest: RemoteDigest? = nil
  ) -> WriteOutcome {
    let digest = digest ?? record.digest
    return record.project.hasContents(of: project) ? .stored(digest) : .altered(digest)
  }
}

extension Timestamp {
  fileprivate func isKept(from sent: Timestamp) -> Bool {
    if self == sent { return true }
    for unit: Int64 in [1000, 1_000_000] where microseconds % unit == 0 {
      let (span, overflow) = microseconds.subtractingReportingOverflow(sent.microseconds)
      if !overflow, span.magnitude < UInt64(unit) { return true }
    }
    return false
  }
}
