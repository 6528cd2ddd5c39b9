/// What a `syncd` remote announces on its collection: `Syncd-Capabilities: 1; batch=1000,
/// fetch=1000, bytes=8388608, creates, changes, compare, events`.
struct Capabilities: Sendable, Equatable {
  /// The most writes in one batch.
  var batch = 100
  /// The most ids in one fetch.
  var fetch = 100
  /// The most bytes in one request.
  var bytes = 1 << 20
  /// Whether a record alone is a line of a batch, to be created.
  var hasCreates = false
  /// Whether `changes` can be asked for.
  var hasChanges = false
  /// Whether ranges can be compared.
  var hasComparison = false
  /// Whether events can be followed.
  var hasEvents = false

  init() {}

  /// Nil where nothing is announced, or another version of the dialect than 1.
  init?(_ headers: HTTPHeaders) {
    guard let value = headers["Syncd-Capabilities"] else { return nil }
    let parts = value.split { $0 == ";" || $0 == "," }.map { String($0).trimmed }
    guard parts.first == "1" else { return nil }
    for part in parts.dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
      let number = pair.count == 2 ? Int(pair[1]).flatMap { $0 > 0 ? $0 : nil } : nil
      switch (pair.first, number) {
      case ("batch", let number?): batch = min(number, 10_000)
      case ("fetch", let number?): fetch = min(number, 10_000)
      case ("bytes", let number?): bytes = min(number, 64 << 20)
      case ("creates", _): hasCreates = true
      case ("changes", _): hasChanges = true
      case ("compare", _): hasComparison = true
      case ("events", _): hasEvents = true
      default: break
      }
    }
  }
}
