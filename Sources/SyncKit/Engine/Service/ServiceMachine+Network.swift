extension ServiceMachine {
  /// A network that just changed is given this long before it is tried, ...
  static let settling = Duration.milliseconds(200)
  /// ... twice as long each time that it had changed again, up to this, ...
  static let longestSettling = Duration.seconds(5)
  /// ... until it was quiet for so long, or a run went well.
  static let quiet = Duration.seconds(60)

  mutating func changePath(_ path: NetworkPath, at now: Duration) -> [Action] {
    let before = network.path
    guard path != before else { return [] }
    network.path = path
    network.isDown = !path.isUp
    guard phase != .stopped, !isStopping else { return [] }
    guard path.isUp else {
      network.settling = nil
      noteChange(at: now)
      // The machine may be wrong: the remote is tried all the same, in the rhythm of the back-off.
      guard phase == .resting, trouble == nil else { return [] }
      trouble = Trouble(kind: .remote, attempts: 0, retryAt: now + backoff(after: 1))
      queue.isWanted = true
      return stopListening()
    }
    guard let before else { return [] }
    settle(restarting: !before.isUp, at: now)
    return []
  }

  /// Connections from before the sleep are dead, whether they know it or not.
  mutating func wake(at now: Duration) -> [Action] {
    network.isInDoubt = true
    queue.isWanted = true
    trouble?.retryAt = now
    settle(restarting: true, at: now)
    return cancelRun() + cancelProbe() + [.freshConnections] + stopListening()
  }

  private mutating func settle(restarting: Bool, at now: Duration) {
    noteChange(at: now)
    let wait = min(Self.settling * (1 << min(network.restlessness, 10)), Self.longestSettling)
    let first = network.settling?.first ?? now
    network.settling = Settling(
      first: first, end: min(now + wait, first + Self.longestSettling),
      restarts: restarting || network.settling?.restarts == true)
  }

  private mutating func noteChange(at now: Duration) {
    let isQuiet = network.lastChange.map { now - $0 >= Self.quiet } ?? true
    if isQuiet { network.restlessness = 0 }
    network.lastChange = now
  }

  /// The network has been as it is for a while: it is tried, whatever back-off was running.
  mutating func settle(at now: Duration) -> [Action] {
    guard let settling = network.settling, settling.end <= now else { return [] }
    network.settling = nil
    if isStopping { return [] }
    let wasQuiet = network.restlessness == 0
    network.restlessness += 1
    if settling.restarts { network.isInDoubt = true }
    if trouble != nil {
      trouble?.retryAt = now
      if wasQuiet { trouble?.attempts = 0 }
    } else if settling.restarts {
      queue.isWanted = true
    }
    guard phase == .resting || settling.restarts else { return [] }
    return cancelRun() + cancelProbe() + [.freshConnections]
  }
}
