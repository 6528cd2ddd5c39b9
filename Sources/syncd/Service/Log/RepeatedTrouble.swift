/// Decides which of many like errors are worth a line: the first, then one at growing distances,
/// and the end of it.
///
/// Trouble that comes and goes counts as one: while it has not stayed away for an hour, its returns
/// wait for the same distances, an hour at most. Takes a bounded amount of memory.
struct RepeatedTrouble: Sendable {
  /// What there is to say of an error.
  enum Remark: Sendable, Equatable {
    /// It is new.
    case first
    /// It goes on: how often it came and for how long, since it began.
    case again(times: Int, over: Duration)
  }

  /// The end of trouble that was spoken of.
  struct Recovery: Sendable, Equatable {
    var attempts: Int
    var lasted: Duration
  }

  private struct Episode {
    var began: Duration
    var lastMet: Duration
    var times = 1
    var recoveredAt: Duration?
    /// Whether the present trouble was spoken of, so that its end is worth a line.
    var isKnown = true
    /// The messages that were said.
    var messages: [String]
    /// How often something was said because it was due.
    var step = 0
    var dueAt: Duration
    /// Whether it has gone and come back.
    var hasReturned = false

    init(_ message: String, at now: Duration) {
      (began, lastMet) = (now, now)
      messages = [message]
      dueAt = now + RepeatedTrouble.distances[0]
    }

    /// Whether it has stayed away for so long that it would be new.
    func isOver(at now: Duration) -> Bool {
      recoveredAt.map { now - $0 >= RepeatedTrouble.calm } ?? false
    }

    mutating func returned(at now: Duration) {
      (began, times, recoveredAt, hasReturned, isKnown) = (now, 0, nil, true, false)
    }

    mutating func said(at now: Duration) {
      step = min(step + 1, RepeatedTrouble.distances.count - 1)
      let distance = RepeatedTrouble.distances[step]
      dueAt = now + (hasReturned ? min(distance, RepeatedTrouble.calm) : distance)
      isKnown = true
    }
  }

  /// How long nothing more is said, each time something was.
  private static let distances: [Duration] = [
    .seconds(60), .seconds(600), .seconds(3600), .seconds(6 * 3600),
  ]
  private static let calm = Duration.seconds(3600)
  /// Different messages of one kind, and kinds, that are kept apart.
  private static let messageLimit = 8
  private static let kindLimit = 16

  private var episodes: [String: Episode] = [:]

  /// An error was met.
  ///
  /// - Parameters:
  ///   - kind: what recovery is told of: `offline`.
  ///   - now: the time since some fixed point.
  /// - Returns: nil when it was said lately.
  mutating func met(_ kind: String, _ message: String, at now: Duration) -> Remark? {
    let message = String(message.prefix(200))
    guard var episode = episodes[kind], !episode.isOver(at: now) else {
      makeRoom(for: kind, at: now)
      episodes[kind] = Episode(message, at: now)
      return .first
    }
    defer { episodes[kind] = episode }
    if episode.recoveredAt != nil { episode.returned(at: now) }
    episode.times += 1
    episode.lastMet = now
    if !episode.messages.contains(message), episode.messages.count < Self.messageLimit {
      episode.messages.append(message)
      episode.dueAt = max(episode.dueAt, now + Self.distances[0])
      episode.isKnown = true
      return .first
    }
    guard now >= episode.dueAt else { return nil }
    episode.said(at: now)
    return episode.times == 1 ? .first : .again(times: episode.times, over: now - episode.began)
  }

  /// What failed works again.
  ///
  /// - Returns: nil when there was no trouble, or none that was spoken of.
  mutating func overcame(_ kind: String, at now: Duration) -> Recovery? {
    guard var episode = episodes[kind], episode.recoveredAt == nil else { return nil }
    defer { episodes[kind] = episode }
    episode.recoveredAt = now
    guard episode.isKnown else { return nil }
    return Recovery(attempts: episode.times, lasted: now - episode.began)
  }

  /// Forgets what is over and, where there are too many kinds still, what was met longest ago.
  private mutating func makeRoom(for kind: String, at now: Duration) {
    episodes = episodes.filter { !$0.value.isOver(at: now) }
    while episodes.count >= Self.kindLimit, episodes[kind] == nil,
      let oldest = episodes.min(by: { $0.value.lastMet < $1.value.lastMet })?.key
    {
      episodes[oldest] = nil
    }
  }
}
