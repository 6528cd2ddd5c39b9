extension SyncService {
  func followPaths() async {
    while !Task.isCancelled {
      let (source, signal) = (connectivity, signals.renew(\.paths))
      try? await signal.cancelling {
        for await path in source.paths() { await self.note(path) }
      }
      // A source that has ended says no more; the next one may.
      if signal === signals.paths { await signals.renew(\.paths).wait() }
    }
  }

  private func note(_ path: NetworkPath) {
    guard orders != nil else { return }
    if machine.network.path?.isUp != path.isUp { broadcaster.send(.network(isUp: path.isUp)) }
    handle(.path(path))
  }

  func followResumes() async {
    for await _ in detector.resumes() { handle(.woke) }
  }

  // MARK: The store

  /// Follows what is written to a store, from here on.
  func follow(_ store: LocalStore) {
    signals.watch?.fire()
    isWatching = true
    orders?.yield(.watch(store, signals.renew(\.watch)))
  }

  func follow(_ store: LocalStore, _ signal: CancelSignal) async {
    try? await signal.cancelling { [watch] in
      for await _ in watch(store) { await self.look(at: store) }
    }
    // The store's folder is gone, say. It is watched again after the next run.
    if signal === signals.watch { isWatching = false }
  }

  /// What is there when the first run begins, it takes up by itself.
  func beginLooking(at engine: SyncEngine) async {
    guard seen == nil else { return }
    let changes = try? await engine.store.changesSince(0, remote: engine.remote.identity)
    let last = try? await engine.store.lastSuccess(remote: engine.remote.identity)
    guard engine === self.engine else { return }
    // Not over what somebody saw meanwhile: that may be newer than what a run takes up.
    seen = seen ?? changes?.latest
    standing.lastSuccess = standing.lastSuccess ?? last ?? nil
    pulse.send(())
  }

  private func look(at store: LocalStore) async {
    guard store === engine.store else { return }
    guard let before = seen else { return await beginLooking(at: engine) }
    do {
      let changes = try await store.changesSince(before, remote: engine.remote.identity)
      guard store === engine.store, orders != nil else { return }
      seen = changes.latest
      // Told once: every look finds it so again, and each would put the run off once more.
      let isNewlyReplaced = changes.isStoreReplaced && !standing.isStoreReplaced
      if isNewlyReplaced { broadcaster.send(.storeReplaced) }
      standing.isStoreReplaced = changes.isStoreReplaced
      pulse.send(())
      if changes.count > 0 || isNewlyReplaced {
        handle(.localChange(deletionsOnly: changes.areAllDeletions))
      }
    } catch {
      // A run finds out what it is, and says so.
      if orders != nil { handle(.localChange(deletionsOnly: false)) }
    }
  }

  // MARK: The remote

  func listen(to remote: any RemoteStore, _ signal: CancelSignal) async {
    let isOffered = try? await signal.cancelling {
      guard let notifications = await remote.notifications() else { return false }
      do {
        for try await notification in notifications { await self.hear(notification, signal) }
      } catch {
        // However it ended, it is opened again.
      }
      try Task.checkCancellation()
      return true
    }
    guard let isOffered, orders != nil, signal === signals.listener else { return }
    handle(isOffered ? .listenerEnded : .listenerUnavailable)
  }

  private func hear(_ notification: RemoteNotification, _ signal: CancelSignal) {
    guard orders != nil, signal === signals.listener else { return }
    versions.heard = notification
    weighNotification()
  }

  /// What is told during a run may be that run's own doing: it is weighed once the run has ended.
  func weighNotification() {
    guard let notification = versions.heard, machine.state != .syncing else { return }
    versions.heard = nil
    versions.latest = notification.version
    handle(versions.isKnown(notification.version) ? .remoteAsKnown : .remoteChange)
  }
}

/// Which versions of the collection the last run has seen.
struct KnownVersions: Sendable {
  /// What was told last, and not weighed yet.
  var heard: RemoteNotification?
  /// What was told before the current run, or the next.
  var latest: CollectionVersion?
  private var atStart: CollectionVersion?
  private var covered: CollectionVersion?
  private var agreed: CollectionVersion?

  mutating func runStarts() { atStart = latest }

  /// - Parameter version: the remote's, where both sides are known to be equal.
  mutating func runEnded(_ report: SyncReport, version: CollectionVersion?) {
    agreed = version
    if report.outcome.isThrough { covered = atStart }
  }

  func isKnown(_ version: CollectionVersion?) -> Bool {
    version != nil && (version == agreed || version == covered)
  }
}

extension SyncReport.Outcome {
  /// Whether the run saw both sides whole.
  var isThrough: Bool {
    switch self {
    case .inSync, .partial, .refused, .conflicts: true
    case .offline, .locked, .protocol, .unauthorized, .storeError, .configError: false
    }
  }
}
