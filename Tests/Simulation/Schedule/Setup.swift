package import SyncKit
package import TestSupport

/// What a world is made of.
package struct Setup: Equatable, Sendable {
  package var seed: UInt64
  /// Devices that people write on; but for the pushers they reconcile both ways, by one policy.
  package var devices = 3
  /// Devices that follow the remote (`pull`), on which nobody writes.
  package var followers = 0
  /// How many of those that people write on only ever send (`push`): the last ones.
  package var pushers = 0
  package var records = 6
  package var policy = ConflictPolicy.newest
  package var deletions = DeletionPolicy.propagate
  package var isPlain = false
  /// Whether the server is put back from a backup now and then.
  package var isPutBack = false
  /// The server's limits: records in a page, writes in a batch, ids in a fetch.
  package var page = 1000
  package var batch = 1000
  package var fetch = 1000
  /// Deletions that the server remembers.
  package var tombstones = 1000

  /// Whether the server may have forgotten what was deleted: nothing then tells an upload that nobody
  /// heard of from a new record.
  var forgetsDeletions: Bool { isPlain || tombstones < 1000 }
  /// Whether sets are compared by ranges, which small ones are not by themselves.
  package var compares = false
  /// Whether each run is made by a process of its own, as by cron.
  package var isFresh = false
  package var concurrency = 8

  package init(seed: UInt64) {
    self.seed = seed
  }

  /// A world drawn from a seed.
  package init(drawnFrom seed: UInt64, devices: Int, using draws: inout SeededGenerator) {
    self.seed = seed
    self.devices = devices
    followers = Int.random(in: 0..<4, using: &draws) == 0 ? 1 : 0
    records = Int.random(in: 4...10, using: &draws)
    policy =
      [.newest, .newest, .newest, .local, .remote, .merge].randomElement(using: &draws) ?? .newest
    isPlain = Int.random(in: 0..<5, using: &draws) == 0
    page = [1, 2, 3, 1000, 1000].randomElement(using: &draws) ?? 1000
    batch = [1, 2, 1000, 1000].randomElement(using: &draws) ?? 1000
    fetch = [1, 2, 1000, 1000].randomElement(using: &draws) ?? 1000
    tombstones = [1, 1000].randomElement(using: &draws) ?? 1000
    isFresh = Bool.random(using: &draws)
    concurrency = [1, 2, 8].randomElement(using: &draws) ?? 8
    drawMore(seed)
  }

  /// What came later is drawn by a generator of its own, so that the other worlds stay as they were.
  private mutating func drawMore(_ seed: UInt64) {
    var draws = SeededGenerator(seed: seed ^ 0x3_0DE5)
    compares = Bool.random(using: &draws)
    if Int.random(in: 0..<6, using: &draws) == 0 { policy = .manual }
    if devices > 1, Int.random(in: 0..<6, using: &draws) == 0 { pushers = 1 }
    // By other policies a version wins that went back together with the server.
    let isTold = !isPlain && (policy == .newest || policy == .merge)
    isPutBack = Int.random(in: 0..<6, using: &draws) == 0 && isTold
    switch Int.random(in: 0..<8, using: &draws) {
    case 0: deletions = .never
    case 1: deletions = .known
    default: break
    }
  }

  /// The ids in use, twins that differ only in their bytes among the first.
  static let ids = [
    "\u{e9}", "e\u{301}", "a", "a/b", "..", "ABC", "abc", "프로젝트", "a%2Fb", "a b",
  ].map { ProjectID(trusted: $0) }
}

extension Setup: CustomStringConvertible {
  package var description: String {
    "world seed=\(seed) devices=\(devices) followers=\(followers) records=\(records)"
      + " policy=\(policy.rawValue) plain=\(isPlain) page=\(page) batch=\(batch) fetch=\(fetch)"
      + " tombstones=\(tombstones) fresh=\(isFresh) concurrency=\(concurrency)"
      + " compares=\(compares) deletions=\(deletions.rawValue) pushers=\(pushers) putBack=\(isPutBack)"
  }

  /// Reads what `description` wrote.
  package init?(_ text: some StringProtocol) {
    let words = text.split(separator: " ")
    guard words.first == "world" else { return nil }
    var setup = Setup(seed: 0)
    for word in words.dropFirst() {
      let pair = word.split(separator: "=")
      guard pair.count == 2 else { return nil }
      let value = String(pair[1])
      switch pair[0] {
      case "seed": setup.seed = UInt64(value) ?? 0
      case "devices": setup.devices = Int(value) ?? 0
      case "followers": setup.followers = Int(value) ?? 0
      case "records": setup.records = Int(value) ?? 0
      case "policy": setup.policy = ConflictPolicy(rawValue: value) ?? .newest
      case "plain": setup.isPlain = value == "true"
      case "page": setup.page = Int(value) ?? 0
      case "batch": setup.batch = Int(value) ?? 0
      case "fetch": setup.fetch = Int(value) ?? 0
      case "tombstones": setup.tombstones = Int(value) ?? 0
      case "fresh": setup.isFresh = value == "true"
      case "pushers": setup.pushers = Int(value) ?? 0
      case "putBack": setup.isPutBack = value == "true"
      case "deletions": setup.deletions = DeletionPolicy(rawValue: value) ?? .propagate
      case "compares": setup.compares = value == "true"
      case "concurrency": setup.concurrency = Int(value) ?? 0
      default: return nil
      }
    }
    self = setup
  }
}
