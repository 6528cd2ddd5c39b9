extension ProjectDraft {
  /// - Throws: `.invalidInput` with what cannot be kept as it is, and how to say it.
  func validate() throws(SyncError) {
    try checkDue(dueAt)
    let known = RecordFields.standard
    let names = [
      known.id, known.title, known.body, known.state, known.dueAt, known.createdAt,
      known.updatedAt,
    ]
    let reader = JSONScanner(Array(extra.json.utf8))
    var scanner = reader
    var taken: String?
    guard !extra.json.isEmpty else { return }
    do {
      try scanner.scanObject { (key, _) throws(JSONError) in
        taken = taken ?? names.first { reader.string(at: key, equals: $0) }
      }
    } catch {
      throw SyncError(.invalidInput, "the further members are not a JSON object: \(error)")
    }
    if let taken {
      throw SyncError(.invalidInput, "\(taken) is a field of its own, not a further member")
    }
  }
}

extension ProjectEdit {
  /// - Throws: `.invalidInput` with what cannot be kept as it is, and how to say it.
  func validate() throws(SyncError) {
    try checkDue(dueAt ?? nil)
  }
}

private func checkDue(_ dueAt: String?) throws(SyncError) {
  guard let dueAt else { return }
  let isTime = Timestamp(rfc3339: dueAt) != nil
  let isDate = dueAt.utf8.count == 10 && Timestamp(rfc3339: dueAt + "T00:00:00Z") != nil
  guard isTime || isDate else {
    throw SyncError(
      .invalidInput,
      "the due date \"\(dueAt)\" is neither a date nor a time; write 2026-11-30 or"
        + " 2026-11-30T17:00:00Z")
  }
}
