/// What the kernel has told about links, addresses and default routes.
struct NetworkTable: Equatable {
  struct Link: Equatable {
    /// Cable in, or associated, and switched on; not loopback.
    var isUsable: Bool
    /// How often the carrier came or went: a link that was gone between two looks shows here.
    var carrierChanges: UInt32
  }

  struct Address: Hashable {
    var link: Int32
    var family: UInt8
    var prefix: UInt8
    /// Its own and its peer's, or one of them.
    var bytes: [UInt8]
  }

  struct Route: Hashable {
    var family: UInt8
    var table: UInt32
    var priority: UInt32
    var hops: [Hop]
    /// The hops' object, where the kernel names it.
    var hopObject: UInt32
  }

  struct Hop: Hashable {
    var link: Int32
    var gateway: [UInt8]
  }

  var links: [Int32: Link] = [:]
  /// Each with whether it reaches further than the link, and is ours by now.
  var addresses: [Address: Bool] = [:]
  var routes: Set<Route> = []

  /// What it comes to. Links that carry no address are left out: those of containers come and go.
  var path: NetworkPath {
    var signature: UInt64 = 0
    var carriers: Set<Int32> = []
    for (address, isUsable) in addresses where isUsable && isRunning(address.link) {
      carriers.insert(address.link)
      signature &+= digest {
        $0.add(1)
        $0.add(address)
      }
    }
    for link in carriers {
      signature &+= digest {
        $0.add(2)
        $0.add(UInt64(UInt32(bitPattern: link)))
        $0.add(UInt64(links[link]?.carrierChanges ?? 0))
      }
    }
    for route in routes {
      let hops = route.hops.filter { isRunning($0.link) }
      guard !hops.isEmpty || route.hopObject != 0 else { continue }
      signature &+= digest {
        $0.add(3)
        $0.add(route, hops: hops)
      }
    }
    return NetworkPath(isUp: !carriers.isEmpty, signature: signature)
  }

  private func isRunning(_ link: Int32) -> Bool { links[link]?.isUsable == true }

  private func digest(_ body: (inout Digest) -> Void) -> UInt64 {
    var digest = Digest()
    body(&digest)
    return digest.value
  }
}

/// FNV-1a, stirred once more at the end so that digests may be added up: the order in which the
/// kernel tells things is of no account.
private struct Digest {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(byte: UInt8) {
    state = (state ^ UInt64(byte)) &* 0x100_0000_01B3
  }

  mutating func add(_ number: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) {
      add(byte: UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  mutating func add(_ bytes: [UInt8]) {
    add(UInt64(bytes.count))
    for byte in bytes { add(byte: byte) }
  }

  mutating func add(_ address: NetworkTable.Address) {
    add(UInt64(UInt32(bitPattern: address.link)))
    add(byte: address.family)
    add(byte: address.prefix)
    add(address.bytes)
  }

  mutating func add(_ route: NetworkTable.Route, hops: [NetworkTable.Hop]) {
    add(byte: route.family)
    add(UInt64(route.table))
    add(UInt64(route.priority))
    add(UInt64(route.hopObject))
    for hop in hops {
      add(UInt64(UInt32(bitPattern: hop.link)))
      add(hop.gateway)
    }
  }

  /// The finalizer of SplitMix64.
  var value: UInt64 {
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
