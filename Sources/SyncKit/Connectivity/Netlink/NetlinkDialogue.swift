/// What is said to the kernel and what comes of its answers: first the whole table is asked for,
/// then the kernel tells each change. Pure: whoever has the socket carries the bytes.
struct NetlinkDialogue {
  private enum State: Equatable {
    /// Nothing has been asked for yet.
    case initial
    /// The whole table is being told, at present this part of it. Entered at the start, and once
    /// what was left after a loss has been read.
    case filling(Part)
    /// The table is whole, and each change of it is told.
    case following
    /// As before, but the routes may have changed and are being told once more.
    case refreshing
    /// Messages were lost: what is still to be read is older than the loss. Entered from any state.
    case lost
    /// The kernel refused to answer. The end.
    case refused
  }

  private enum Part { case links, addresses, routes }

  private var state = State.initial
  private var table = NetworkTable()
  /// The routes of an answer whose end has not come yet.
  private var told: Set<NetworkTable.Route> = []
  /// Whether the part being told changed meanwhile.
  private var isInterrupted = false
  private var sequence: UInt32 = 0

  /// What a piece of what the kernel said leads to.
  struct Step {
    /// The states that the network went through, no two equal ones in a row.
    var paths: [NetworkPath] = []
    /// What is to be sent.
    var request: [UInt8]?
  }

  private var last: NetworkPath?

  var isRefused: Bool { state == .refused }

  /// Begins. Called once, with a socket that already hears of changes, so that none falls between.
  mutating func start() -> [UInt8] {
    table = NetworkTable()
    return ask(.links, then: .filling(.links))
  }

  /// Takes in what one datagram held.
  mutating func receive(_ bytes: ArraySlice<UInt8>) -> Step {
    var step = Step()
    guard state != .lost, state != .refused else { return step }
    var parser = NetlinkParser(bytes)
    while let message = parser.next() {
      take(message, &step)
      if state == .lost || state == .refused { return step }
    }
    if parser.isDamaged { overrun() }
    return step
  }

  /// Messages were lost, or came incomplete.
  mutating func overrun() {
    if state != .refused { state = .lost }
  }

  /// There is nothing left to read.
  ///
  /// - Returns: what is to be sent.
  mutating func drained() -> [UInt8]? {
    state == .lost ? start() : nil
  }

  /// The socket is of no use any more.
  mutating func refuse() { state = .refused }

  // MARK: Messages

  private mutating func take(_ message: NetlinkMessage, _ step: inout Step) {
    let isAnswer = message.sequence == sequence && message.flags & NetlinkMessage.Flag.multi != 0
    switch message.type {
    case NetlinkMessage.Kind.overrun: overrun()
    case NetlinkMessage.Kind.error where message.sequence == sequence: refuse(message)
    case NetlinkMessage.Kind.done where message.sequence == sequence: end(message, &step)
    case NetlinkMessage.Kind.newRoute where isAnswer:
      note(message)
      if let route = NetworkTable.Route(message) { told.insert(route) }
    default:
      if isAnswer { note(message) } else { noteChange(of: message.type) }
      changed(table.apply(message), &step)
    }
  }

  /// The kernel refuses a question while it still answers another, which is then read first.
  private mutating func refuse(_ message: NetlinkMessage) {
    let code = message.payload.integer(at: 0, as: Int32.self)
    if code == Self.busy { overrun() } else if code != 0 { state = .refused }
  }

  /// `-EBUSY`, as Linux numbers it.
  private static let busy: Int32 = -16

  private mutating func note(_ message: NetlinkMessage) {
    if message.flags & NetlinkMessage.Flag.interrupted != 0 { isInterrupted = true }
  }

  /// A change of what is just being told. The kernel looks things up without a lock and queues the
  /// answer later, so that the answer which follows may be older than the change.
  private mutating func noteChange(of type: UInt16) {
    switch (type, state) {
    case (NetlinkMessage.Kind.newLink, .filling(.links)),
      (NetlinkMessage.Kind.deleteLink, .filling(.links)),
      (NetlinkMessage.Kind.newAddress, .filling(.addresses)),
      (NetlinkMessage.Kind.deleteAddress, .filling(.addresses)):
      isInterrupted = true
    default: break
    }
  }

  private mutating func changed(_ change: NetworkTable.Change, _ step: inout Step) {
    switch state {
    case .following, .refreshing:
      guard change != .none else { return }
      tell(&step)
      guard change == .routesUnknown else { return }
      if state == .following {
        step.request = ask(.routes, then: .refreshing)
      } else {
        isInterrupted = true
      }
    case .filling(.routes):
      if change == .routesUnknown { isInterrupted = true }
    case .initial, .filling, .lost, .refused: break
    }
  }

  /// The end of an answer. Where it may be of two minds, it is asked for again.
  private mutating func end(_ message: NetlinkMessage, _ step: inout Step) {
    note(message)
    if let code = message.payload.integer(at: 0, as: Int32.self), code < 0 {
      state = .refused
      return
    }
    switch state {
    case .filling(.links) where isInterrupted:
      table.links = [:]
      step.request = ask(.links, then: state)
    case .filling(.links): step.request = ask(.addresses, then: .filling(.addresses))
    case .filling(.addresses) where isInterrupted:
      table.addresses = [:]
      step.request = ask(.addresses, then: state)
    case .filling(.addresses): step.request = ask(.routes, then: .filling(.routes))
    case .filling(.routes) where isInterrupted, .refreshing where isInterrupted:
      step.request = ask(.routes, then: state)
    case .filling(.routes), .refreshing:
      table.routes = told
      told = []
      state = .following
      tell(&step)
    case .initial, .following, .lost, .refused: break
    }
  }

  private mutating func tell(_ step: inout Step) {
    let path = table.path
    guard path != last else { return }
    last = path
    step.paths.append(path)
  }

  // MARK: Questions

  private mutating func ask(_ part: Part, then next: State) -> [UInt8] {
    state = next
    isInterrupted = false
    told = []
    sequence &+= 1
    var body: [UInt8]
    let type: UInt16
    switch part {
    case .links:
      type = NetlinkMessage.Kind.getLink
      // `struct ifinfomsg`, and the wish to be spared the statistics.
      body = [UInt8](repeating: 0, count: 16)
      body.append(UInt16(8))
      body.append(UInt16(29))
      body.append(UInt32(8))
    case .addresses:
      type = NetlinkMessage.Kind.getAddress
      body = [UInt8](repeating: 0, count: 8)
    case .routes:
      type = NetlinkMessage.Kind.getRoute
      body = [UInt8](repeating: 0, count: 12)
    }
    var bytes: [UInt8] = []
    bytes.append(UInt32(NetlinkMessage.headerBytes + body.count))
    bytes.append(type)
    bytes.append(NetlinkMessage.Flag.request | NetlinkMessage.Flag.dump)
    bytes.append(sequence)
    bytes.append(UInt32(0))
    return bytes + body
  }
}

extension [UInt8] {
  /// Appends an integer in the machine's byte order.
  fileprivate mutating func append(_ value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value) { append(contentsOf: $0) }
  }
}
