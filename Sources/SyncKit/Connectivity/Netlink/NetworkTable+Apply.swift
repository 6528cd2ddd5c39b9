extension NetworkTable {
  enum Change {
    case none
    case changed
    /// The default routes may be others now, and the kernel does not say which: those of IPv4 that
    /// go with a link or an address go without a word, and one may take another's place.
    case routesUnknown
  }

  /// Takes over one message about a link or an address. Of a route only that it is another now is
  /// taken: routes come by asking for them all.
  mutating func apply(_ message: NetlinkMessage) -> Change {
    switch message.type {
    case NetlinkMessage.Kind.newLink, NetlinkMessage.Kind.deleteLink: applyLink(message)
    case NetlinkMessage.Kind.newAddress, NetlinkMessage.Kind.deleteAddress: applyAddress(message)
    case NetlinkMessage.Kind.newRoute, NetlinkMessage.Kind.deleteRoute:
      Route(message) == nil ? .none : .routesUnknown
    default: .none
    }
  }

  /// `struct ifinfomsg`: family, padding, type (2), index (4), flags (4), changed flags (4).
  private mutating func applyLink(_ message: NetlinkMessage) -> Change {
    let payload = message.payload
    // Of another family it tells of a link's part in a bridge, not of the link.
    guard payload.count >= 16, payload.integer(at: 0, as: UInt8.self) == 0,
      let index = payload.integer(at: 4, as: Int32.self),
      let flags = payload.integer(at: 8, as: UInt32.self)
    else { return .none }
    let before = links[index]
    if message.type == NetlinkMessage.Kind.newLink {
      var link = Link(
        isUsable: flags & LinkFlag.wanted == LinkFlag.wanted && flags & LinkFlag.loopback == 0,
        carrierChanges: 0)
      for (type, value) in message.attributes(after: 16) {
        switch type {
        case LinkAttribute.carrier:
          // Lost at once, while the flag says that it is running for a moment more.
          if value.first == 0 { link.isUsable = false }
        case LinkAttribute.carrierChanges:
          link.carrierChanges = value.integer(at: 0, as: UInt32.self) ?? 0
        default: break
        }
      }
      links[index] = link
    } else {
      links[index] = nil
      addresses = addresses.filter { $0.key.link != index }
    }
    let after = links[index]
    if before?.isUsable ?? false != after?.isUsable ?? false { return .routesUnknown }
    return before == after ? .none : .changed
  }

  /// `struct ifaddrmsg`: family, prefix length, flags, scope, index (4).
  private mutating func applyAddress(_ message: NetlinkMessage) -> Change {
    let payload = message.payload
    guard let family = payload.integer(at: 0, as: UInt8.self), Family.all.contains(family),
      let prefix = payload.integer(at: 1, as: UInt8.self),
      var flags = payload.integer(at: 2, as: UInt8.self).map(UInt32.init),
      let scope = payload.integer(at: 3, as: UInt8.self),
      let link = payload.integer(at: 4, as: Int32.self)
    else { return .none }
    var address = Address(link: link, family: family, prefix: prefix, bytes: [])
    for (type, value) in message.attributes(after: 8) {
      switch type {
      case AddressAttribute.address, AddressAttribute.local: address.bytes += value
      case AddressAttribute.flags: flags = value.integer(at: 0, as: UInt32.self) ?? flags
      default: break
      }
    }
    guard !address.bytes.isEmpty else { return .none }
    let before = addresses[address]
    if message.type == NetlinkMessage.Kind.newAddress {
      let isOurs =
        flags & AddressFlag.failed == 0
        && (flags & AddressFlag.tentative == 0 || flags & AddressFlag.optimistic != 0)
      addresses[address] = isOurs && scope < Self.linkScope
    } else {
      addresses[address] = nil
    }
    return before ?? false == addresses[address] ?? false ? .none : .routesUnknown
  }

  /// `RT_SCOPE_LINK`: what is not less reaches no further than the link.
  private static let linkScope: UInt8 = 253

  private enum LinkFlag {
    static let loopback: UInt32 = 0x8
    /// Switched on, and running.
    static let wanted: UInt32 = 0x1 | 0x40
  }

  private enum LinkAttribute {
    static let carrier: UInt16 = 33
    static let carrierChanges: UInt16 = 35
  }

  private enum AddressAttribute {
    static let address: UInt16 = 1
    static let local: UInt16 = 2
    static let flags: UInt16 = 8
  }

  private enum AddressFlag {
    static let optimistic: UInt32 = 0x04
    static let failed: UInt32 = 0x08
    static let tentative: UInt32 = 0x40
  }

  enum Family {
    /// IPv4 and IPv6, as Linux numbers them.
    static let all: Set<UInt8> = [2, 10]
  }
}

extension NetworkTable.Route {
  /// Reads a default route; nil when the message tells of another one.
  ///
  /// `struct rtmsg`: family, lengths of destination and source, service, table, origin, scope, type,
  /// flags (4).
  init?(_ message: NetlinkMessage) {
    let payload = message.payload
    guard let family = payload.integer(at: 0, as: UInt8.self),
      NetworkTable.Family.all.contains(family), payload.integer(at: 1, as: UInt8.self) == 0,
      payload.integer(at: 7, as: UInt8.self) == Self.unicast,
      let table = payload.integer(at: 4, as: UInt8.self),
      let flags = payload.integer(at: 8, as: UInt32.self), flags & Self.cloned == 0
    else { return nil }
    self.init(family: family, table: UInt32(table), priority: 0, hops: [], hopObject: 0)
    var single = NetworkTable.Hop(link: 0, gateway: [])
    for (type, value) in message.attributes(after: 12) {
      switch type {
      case Attribute.link: single.link = value.integer(at: 0, as: Int32.self) ?? 0
      case Attribute.gateway, Attribute.via: single.gateway = Array(value)
      case Attribute.priority: priority = value.integer(at: 0, as: UInt32.self) ?? 0
      case Attribute.hops: hops = Self.hops(value)
      case Attribute.table: self.table = value.integer(at: 0, as: UInt32.self) ?? self.table
      case Attribute.hopObject: hopObject = value.integer(at: 0, as: UInt32.self) ?? 0
      default: break
      }
    }
    if hops.isEmpty, single.link != 0 { hops = [single] }
  }

  /// `struct rtnexthop`: length (2), flags, hops, link (4), then attributes.
  private static func hops(_ bytes: ArraySlice<UInt8>) -> [NetworkTable.Hop] {
    var rest = bytes
    var hops: [NetworkTable.Hop] = []
    while let length = rest.integer(at: 0, as: UInt16.self).map(Int.init), length >= 8,
      length <= rest.count, let link = rest.integer(at: 4, as: Int32.self)
    {
      var hop = NetworkTable.Hop(link: link, gateway: [])
      for (type, value) in NetlinkAttributes(rest.prefix(length).dropFirst(8))
      where type == Attribute.gateway || type == Attribute.via {
        hop.gateway = Array(value)
      }
      hops.append(hop)
      rest = rest.dropFirst((length + 3) & ~3)
    }
    return hops
  }

  private static let unicast: UInt8 = 1
  private static let cloned: UInt32 = 0x200

  private enum Attribute {
    static let link: UInt16 = 4
    static let gateway: UInt16 = 5
    static let priority: UInt16 = 6
    static let hops: UInt16 = 9
    static let table: UInt16 = 15
    static let via: UInt16 = 18
    static let hopObject: UInt16 = 30
  }
}
