extension ServiceMachine {
  /// Many clients that lost one remote do not come back together.
  static let schedule = BackoffSchedule.fullJitter(base: .seconds(1), cap: .seconds(300))
  /// Another run is over soon; one that takes long is asked after more rarely.
  static let lockSchedule = BackoffSchedule.fullJitter(base: .seconds(4), cap: .seconds(30))
  static let leastLockWait = Duration.seconds(1)
  /// A remote that was restarted loses every listener at one moment.
  static let listenSchedule = BackoffSchedule.fullJitter(base: .seconds(4), cap: .seconds(300))
  /// A listener that lived so long was no failure.
  static let steadyListening = Duration.seconds(60)

  func backoff(after attempts: Int) -> Duration {
    var random = random
    return Self.schedule.delay(afterAttempt: attempts, using: &random)
  }

  /// The interval, a tenth more or less.
  func nextInterval(after now: Duration) -> Duration {
    let interval = max(options.interval, .seconds(1))
    return now + interval * 9 / 10 + jitter(upTo: interval / 5)
  }

  func jitter(upTo limit: Duration) -> Duration {
    var random = random
    return limit * Double.random(in: 0..<1, using: &random)
  }

  /// Takes note of an attempt that failed, and when the next is.
  mutating func fail(_ outcome: SyncReport.Outcome, at now: Duration) -> [Action] {
    let attempts = (trouble?.attempts ?? 0) + 1
    let kind = Trouble.Kind(outcome)
    var random = random
    let retryAt =
      switch kind {
      case .remote, .store: now + backoff(after: attempts)
      case .credentials: nextInterval(after: now)
      case .locked:
        now + Self.leastLockWait
          + Self.lockSchedule.delay(afterAttempt: attempts, using: &random)
      }
    trouble = Trouble(kind: kind, attempts: attempts, retryAt: retryAt)
    return kind.needsProbe ? stopListening() : []
  }

  // MARK: Listening

  /// After a run that went well: asks the remote to tell of changes, unless it does or just refused.
  mutating func listenAgain(at now: Duration) -> [Action] {
    guard options.followsRemote, !pause.isOn, listener == .silent else { return [] }
    listener = .listening(since: now, attempts: 0)
    return [.listen]
  }

  mutating func listenOnTime(at now: Duration) -> [Action] {
    guard case .waiting(let end, let attempts) = listener, end <= now else { return [] }
    listener = .listening(since: now, attempts: attempts)
    return [.listen]
  }

  mutating func endListener(at now: Duration) {
    guard case .listening(let since, let before) = listener else { return }
    let attempts = now - since >= Self.steadyListening ? 1 : before + 1
    var random = random
    let wait = Self.listenSchedule.delay(afterAttempt: attempts, using: &random)
    listener = .waiting(until: now + wait, attempts: attempts)
    guard attempts > 1 else { return }
    // A remote that cannot be followed again may be gone, and nobody would be told.
    network.isInDoubt = true
    queue.isWanted = true
  }

  mutating func stopListening() -> [Action] {
    defer { listener = .silent }
    if case .listening = listener { return [.stopListening] }
    return []
  }
}

extension ServiceMachine.Trouble.Kind {
  /// What stands in the way after such an end. Only called for ends that are trouble.
  init(_ outcome: SyncReport.Outcome) {
    self =
      switch outcome {
      case .unauthorized: .credentials
      case .locked: .locked
      case .storeError: .store
      case .offline, .protocol, .configError: .remote
      case .inSync, .partial, .refused, .conflicts: .remote
      }
  }
}
