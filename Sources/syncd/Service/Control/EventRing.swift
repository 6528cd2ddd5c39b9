import HTTPServer

/// The last events of a service, for those who come back after their connection was lost.
///
/// An id is `EPOCH-NUMBER`. The epoch is the service's own, so that who comes back to another
/// service than the one it left is told that something is missing.
struct EventRing {
  /// What is to be sent to one who comes back.
  struct Replay: Equatable {
    /// The events as they are sent, the oldest first.
    var events: [[UInt8]] = []
    /// Events that happened since and are not kept any more; nil where nobody knows how many.
    var lost: Int? = 0

    /// Whether nothing is missing.
    var isWhole: Bool { lost == 0 }
  }

  static let capacity = 1000
  static let maximumBytes = 4 << 20

  private let epoch: String
  private let capacity: Int
  private let maximumBytes: Int
  private var events: ArraySlice<[UInt8]> = []
  private var bytes = 0
  /// The number of the last event; the first one has 1.
  private var last = 0

  init(epoch: String, capacity: Int = capacity, maximumBytes: Int = maximumBytes) {
    self.epoch = epoch
    self.capacity = capacity
    self.maximumBytes = maximumBytes
  }

  /// - Returns: the event as it is sent.
  mutating func append(_ name: String, data: String) -> [UInt8] {
    last += 1
    let event = EventText.event(name, id: "\(epoch)-\(last)", data: data)
    events.append(event)
    bytes += event.count
    while events.count > 1, events.count > capacity || bytes > maximumBytes {
      bytes -= events.removeFirst().count
    }
    return event
  }

  /// What happened after the event of this id.
  func after(_ id: String) -> Replay {
    let parts = id.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == epoch, parts[1].utf8.allSatisfy({ (48...57).contains($0) }),
      let number = Int(parts[1]), number <= last
    else { return Replay(events: Array(events), lost: nil) }
    let missing = max(0, last - events.count - number)
    return Replay(events: Array(events.suffix(last - number)), lost: missing)
  }
}
