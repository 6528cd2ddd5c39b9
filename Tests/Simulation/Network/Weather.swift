import TestSupport

/// What may happen to requests now. Shares are in thousandths.
struct Weather {
  var loss = 0
  var lostReplies = 0
  var duplicates = 0
  var cuts = 0
  var refusals = 0
  /// The longest that one way takes, in milliseconds.
  var latency: Int64 = 20

  static let calm = Weather()
  static let rough = Weather(
    loss: 40, lostReplies: 60, duplicates: 40, cuts: 30, refusals: 40, latency: 900)
  static let storm = Weather(
    loss: 150, lostReplies: 200, duplicates: 100, cuts: 100, refusals: 120, latency: 6000)
}

/// What happens to one request.
enum Fate: String {
  case goesThrough, isLost, replyIsLost, isDoubled, isCut, isThrottled, isRefused

  init(_ weather: Weather, using draws: inout SeededGenerator) {
    var draw = Int.random(in: 0..<1000, using: &draws)
    for (share, fate) in [
      (weather.loss, Fate.isLost), (weather.lostReplies, .replyIsLost),
      (weather.duplicates, .isDoubled), (weather.cuts, .isCut),
      (weather.refusals / 2, .isThrottled), (weather.refusals / 2, .isRefused),
    ] {
      draw -= share
      if draw < 0 {
        self = fate
        return
      }
    }
    self = .goesThrough
  }
}
