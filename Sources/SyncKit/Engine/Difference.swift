/// What differs between the two sides, as a plan in the store's temporary table.
struct Difference: Sendable {
  var listing: Listing
  var counts: PlanCounts
  /// What the plan was made by.
  var rules: PlanRules
  /// The key of the base that was used; nil on first contact.
  var remoteKey: Int64?
  /// What the store knew of the remote at this URL before.
  var known: RemoteState
  /// Whether the store was found to be an older copy of itself.
  var isRestored: Bool
  /// Whether it was seen by the changes since the version that is remembered.
  var isSinceVersion = false
  /// Whether both sides were seen whole.
  var seesAll = true
  /// Records that changed on either side while they were compared.
  var deferred = 0
}

extension SyncRun {
  /// Sees the difference the cheapest way that can be trusted, and settles what needs contents.
  func findDifference() async throws -> Difference {
    try await store.beginPlan()
    let isRestored = await store.isRestored
    var rules = planRules(isRestored: isRestored)
    let known = try await store.remoteState(url: remote.identity, remoteID: nil)
    // Once a day everything is looked at on both sides: what somebody forgot to tell shows then.
    let isDue = isRestored || !isOfToday(known.comparedAt)
    var (listing, isCompared) = try await look(since: known, isDue: isDue)
    var state = try await store.remoteState(url: remote.identity, remoteID: listing.remoteID)
    if listing.isPartial || listing.isUnchanged, state.key == nil {
      // Another remote, whose version happens to be spelled like that of the one before.
      try await store.clearListing()
      (listing, isCompared) = (try await list(since: nil), false)
      state = try await store.remoteState(url: remote.identity, remoteID: listing.remoteID)
    }
    if listing.isPartial || listing.isUnchanged, let key = state.key {
      let counts = try await store.planFromChanges(
        rules, remote: key, comparesHere: isCompared && isDue)
      var difference = Difference(
        listing: listing, counts: counts, rules: rules, remoteKey: key, known: state,
        isRestored: isRestored)
      difference.isSinceVersion = !isCompared
      difference.seesAll = isCompared && isDue
      try await Comparison(run: self).settle(&difference)
      return difference
    }
    if state.key == nil, known.key != nil {
      state.isReplaced = true
    }
    rules.isRolledBack = options.direction == .both && (listing.isRolledBack || state.isRolledBack)
    var counts = try await store.planFromListing(rules, remote: state.key)
    if state.isReplaced, let former = known.key {
      counts.known = try await store.knownRecords(remote: former)
    }
    var difference = Difference(
      listing: listing, counts: counts, rules: rules, remoteKey: state.key, known: state,
      isRestored: isRestored)
    try await doubtEmptyListing(difference)
    try await Comparison(run: self).settle(&difference)
    return difference
  }

  /// Asks the remote how it is: for what changed since both sides were known to be equal, where that
  /// is known and the remote can tell, else where its set differs from the base, else for its
  /// listing.
  private func look(
    since known: RemoteState, isDue: Bool
  ) async throws -> (listing: Listing, isCompared: Bool) {
    guard known.key != nil else { return (try await list(since: nil), false) }
    // What went back to an older state is looked at whole.
    if !isDue, !known.isRolledBack, let version = known.collectionVersion {
      let counter = EntryCounter()
      let changes = try await remote.changes(since: version) { changes in
        try await store.appendChanges(changes)
        emit(.listing(entries: counter.add(changes.count)))
      }
      if let changes { return (changes, false) }
      try await store.clearListing()
    }
    if let compared = try await compareRanges(known) { return (compared, true) }
    try await store.clearListing()
    let listing = try await list(since: known.collectionVersion)
    // The version that is known is named all the same: only then does a remote that was put back say so.
    guard isDue, listing.isUnchanged else { return (listing, false) }
    return (try await list(since: nil), false)
  }

  /// Whether a moment lies less than a day back. One that is to come was told by another clock.
  func isOfToday(_ moment: Timestamp?) -> Bool {
    guard let moment else { return false }
    let now = time.now.microseconds
    return moment.microseconds <= now && moment.microseconds > now - 86_400_000_000
  }

  private func planRules(isRestored: Bool) -> PlanRules {
    var rules = PlanRules(reconciler: options.reconciler)
    rules.retriesFailed = options.retriesFailed
    rules.isRestored = isRestored && !options.guards.forceDelete
    if rules.isRestored, rules.reconciler.deletions == .propagate {
      rules.reconciler.deletions = .known
    }
    return rules
  }

  /// Reads the remote's listing into the store's temporary table.
  ///
  /// - Parameter keepsRecords: whether whole records are kept of those too that the base knows.
  func list(since version: CollectionVersion?, keepsRecords: Bool = false) async throws -> Listing {
    let counter = EntryCounter()
    return try await remote.list(since: version) { entries in
      try await store.appendListing(entries, url: remote.identity, keepsRecords: keepsRecords)
      emit(.listing(entries: counter.add(entries.count)))
    }
  }

  /// An empty listing of a remote that was known to hold records may only mean that the credentials
  /// lack a right. Some of the records are asked for by id: a refusal is one of the credentials, and
  /// a record that is there proves the listing wrong.
  private func doubtEmptyListing(_ difference: Difference) async throws {
    guard difference.counts.remoteRecords == 0, let key = difference.remoteKey else { return }
    let ids = try await store.knownIDs(remote: key, limit: 3)
    guard !ids.isEmpty else { return }
    for (id, outcome) in zip(ids, try await remote.fetch(ids)) {
      switch outcome {
      case .absent: continue
      case .refused(let status, let message) where status == 401 || status == 403:
        throw SyncError(
          .unauthorized,
          "\(remote.url): the listing is empty and \(id) is refused with \(status) \(message); "
            + "check the credentials and their rights", status: status)
      case .record, .unreadable, .refused:
        throw SyncError(
          .protocolViolation,
          "\(remote.url): the listing is empty, yet \(id) is there; nothing was changed")
      }
    }
  }

  /// Whether a guard refuses the plan.
  func refusal(of difference: Difference) async throws -> Refusal? {
    let totals = try await store.planTotals(difference.counts, difference.known)
    return options.guards.refusal(of: totals, direction: options.direction)
  }
}
