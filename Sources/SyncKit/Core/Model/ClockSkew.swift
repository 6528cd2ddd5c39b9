/// How far a server's clock is ahead of this machine's, as narrow as its dates allow.
///
/// A response that is dated D (a second, its fraction cut off) was made between the moments its request
/// was sent and it was received, so the server is ahead by something from D − received up to
/// D + 1 s − sent. Every response gives such an interval; what they have in common is what is known
/// (Marzullo, "Maintaining the Time in a Distributed System", 1983). Where they have nothing in common,
/// a clock was set meanwhile, and the newest begins anew.
public struct ClockSkew: Sendable, Equatable {
  /// The least and the greatest that is possible, in microseconds; less than zero where the server is
  /// behind.
  public private(set) var bounds: ClosedRange<Int64>

  /// - Parameters:
  ///   - date: the response's `Date`, RFC 9110, section 6.6.1.
  ///   - sent: when the request was sent, by this machine's clock.
  ///   - received: when the response was there, by this machine's clock.
  public init?(date: Timestamp, sent: Timestamp, received: Timestamp) {
    let (least, leastOverflows) = date.microseconds.subtractingReportingOverflow(
      received.microseconds)
    let (most, mostOverflows) = date.microseconds.subtractingReportingOverflow(sent.microseconds)
    let (end, endOverflows) = most.addingReportingOverflow(1_000_000)
    // A clock that was set back in between says nothing.
    guard !leastOverflows, !mostOverflows, !endOverflows, least <= end else { return nil }
    bounds = least...end
  }

  /// What is known of the skew once another response has come.
  public mutating func narrow(by other: ClockSkew) {
    guard bounds.overlaps(other.bounds) else {
      self = other
      return
    }
    bounds = bounds.clamped(to: other.bounds)
  }

  /// The least that the clocks are apart, whatever the dates leave open; less than zero where the
  /// server is behind.
  public var least: Duration {
    .microseconds(min(max(0, bounds.lowerBound), bounds.upperBound))
  }
}
