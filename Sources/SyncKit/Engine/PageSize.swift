/// How many records to hold at a time, learned from how large they are: many small ones, few large
/// ones.
struct PageSize: Sendable {
  private(set) var records = 64

  /// The bytes of contents that a page is to come to.
  private static let budget = 2 << 20

  /// Takes the records of the page before into account.
  mutating func learn(from outcomes: [FetchOutcome]) {
    let bytes = outcomes.reduce(0) { $0 + ($1.record?.project.weight ?? 0) }
    guard bytes > 0 else { return }
    records = min(max(4, Self.budget / max(1, bytes / outcomes.count)), records * 4, 1000)
  }
}
