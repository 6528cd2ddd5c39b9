extension SyncRun {
  /// Looks where the remote's set differs from what the base says of it, by comparing ranges. What
  /// differs is in the store's temporary table then, as changes are.
  ///
  /// - Returns: nil where the listing is to be read: the remote offers no comparison, the base is
  ///   small, too much differs, or the remote went back to an older state, was emptied or replaced.
  func compareRanges(_ known: RemoteState) async throws -> Listing? {
    guard let key = known.key, let remoteID = known.remoteID, !known.isRolledBack,
      !isOfToday(known.incomparableAt)
    else { return nil }
    let records = try await store.knownRecords(remote: key)
    guard records >= options.comparesFrom, await remote.mayCompare else { return nil }
    try await store.beginInquiry(
      remote: key, hashing: .keyed(by: remoteID), keepsSums: takesNotes)
    do {
      let listing = try await compare(key, records, remoteID, since: known.collectionVersion)
      await store.endInquiry()
      return listing
    } catch {
      await store.endInquiry()
      throw error
    }
  }

  private func compare(
    _ key: Int64, _ records: Int, _ remoteID: String, since version: CollectionVersion?
  ) async throws -> Listing? {
    let counter = EntryCounter()
    var first: Listing?
    var found = 0
    for _ in 0..<RangeLimits.questions {
      guard let question = await store.inquire() else { return first }
      guard let (listing, answer) = try await remote.compare(question, since: version) else {
        if takesNotes { try await store.noteIncomparable(remote: key, at: time.now) }
        return nil
      }
      guard listing.remoteID == remoteID, !listing.isRolledBack, answer.records > 0,
        let differences = try await store.take(answer, to: question)
      else { return nil }
      // What happened since the first answer, the changes since then tell.
      first = first ?? listing
      found += differences
      if differences > 0 { emit(.listing(entries: counter.add(differences))) }
      // A listing costs less then.
      guard found <= max(1000, records / 4) else { return nil }
    }
    return nil
  }
}
