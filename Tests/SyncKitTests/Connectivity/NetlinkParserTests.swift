import TestSupport
import Testing

@testable import SyncKit

@Suite("Messages of netlink")
struct NetlinkParserTests {
  private func table(_ datagrams: [[UInt8]]) -> NetworkTable {
    var table = NetworkTable()
    for datagram in datagrams {
      for message in NetlinkParser(datagram[...]) {
        if let route = NetworkTable.Route(message) { table.routes.insert(route) }
        _ = table.apply(message)
      }
    }
    return table
  }

  @Test("what a kernel said is understood: links, addresses, default routes")
  func fixture() throws {
    let fixture = try NetlinkFixture()
    var table = table(fixture.answers.flatMap(\.self))
    #expect(table.links.values.filter(\.isUsable).count == 2)
    let usable = table.addresses.filter(\.value).map(\.key.bytes).sorted { $0.count < $1.count }
    #expect(
      usable == [
        [192, 0, 2, 7] + [192, 0, 2, 7],
        [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7],
      ])
    let gateways = table.routes.map { $0.hops.map(\.gateway) }.sorted { $0[0].count < $1[0].count }
    #expect(
      gateways == [
        [[192, 0, 2, 1]], [[0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
      ])
    #expect(table.path.isUp)
    for datagram in fixture["pulled"] {
      for message in NetlinkParser(datagram[...]) { _ = table.apply(message) }
    }
    #expect(!table.path.isUp)
  }

  @Test("the order in which things are told is of no account")
  func order() throws {
    let datagrams = try NetlinkFixture().answers.flatMap(\.self)
    let messages = datagrams.flatMap { Array(NetlinkParser($0[...])) }
    var generator = SeededGenerator(seed: 7)
    let path = table(datagrams).path
    for _ in 0..<50 {
      var table = NetworkTable()
      for message in messages.shuffled(using: &generator) {
        if let route = NetworkTable.Route(message) { table.routes.insert(route) }
        _ = table.apply(message)
      }
      #expect(table.path == path)
    }
  }

  @Test("a message cut anywhere is read to its whole part, and is known to be cut")
  func truncated() throws {
    for datagram in try NetlinkFixture().answers.flatMap(\.self) {
      let whole = Array(NetlinkParser(datagram[...])).count
      for count in 0..<datagram.count {
        var parser = NetlinkParser(datagram[..<count])
        var messages = 0
        var table = NetworkTable()
        while let message = parser.next() {
          messages += 1
          _ = NetworkTable.Route(message)
          _ = table.apply(message)
        }
        // Padding after the last message may be missing.
        #expect(messages <= whole && (messages == whole || parser.isDamaged || count % 4 == 0))
      }
    }
  }

  @Test("payloads and attributes of any length and any bytes do no harm")
  func hostile() throws {
    let datagrams = try NetlinkFixture().answers.flatMap(\.self)
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<4000 {
      var bytes = datagrams.randomElement(using: &generator) ?? []
      for _ in 0..<Int.random(in: 1...12, using: &generator) {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        bytes[index] = [0, 1, 3, 4, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
      }
      bytes.removeLast(Int.random(in: 0...min(40, bytes.count - 1), using: &generator))
      var dialogue = NetlinkDialogue()
      _ = dialogue.start()
      #expect(dialogue.receive(bytes[...]).paths.isEmpty, "seed \(seed)")
      _ = table([bytes]).path
    }
  }

  @Test(
    "a length that cannot be ends the reading", arguments: [0, 15, 17, 0xFFFF_FFFF] as [UInt32])
  func impossibleLength(length: UInt32) {
    var bytes = Netlink.done(1, flags: 0).prefix(16) + []
    withUnsafeBytes(of: length) { bytes.replaceSubrange(0..<4, with: $0) }
    var parser = NetlinkParser(bytes[...])
    #expect(parser.next() == nil)
    #expect(parser.isDamaged)
  }

  @Test("a link's part in a bridge that ends is not the end of the link")
  func bridgePort() throws {
    var table = table([Netlink.link(3, isUp: true)])
    var bytes = Netlink.link(3, isUp: true)
    bytes[4] = 17
    bytes[16] = 7
    let message = try #require(Array(NetlinkParser(bytes[...])).first)
    #expect(table.apply(message) == .none)
    #expect(table.links[3]?.isUsable == true)
  }

  @Test("an address that is tried, failed, or reaches only the link or the host is not counted")
  func uselessAddresses() {
    let link = Netlink.link(3, isUp: true)
    let six: [UInt8] = [0x20, 1] + [UInt8](repeating: 0, count: 13) + [7]
    for (scope, flags, isUp) in [
      (0, 0, true), (0, 0x80, true), (0, 0x40, false), (0, 0x44, true), (0, 0x48, false),
      (253, 0x80, false), (254, 0, false), (200, 0, true),
    ] as [(UInt8, UInt8, Bool)] {
      let address = Netlink.address(six, link: 3, scope: scope, addressFlags: flags)
      #expect(table([link, address]).path.isUp == isUp, "scope \(scope), flags \(flags)")
    }
  }

  @Test("the hops of a route over several links are told apart, in use or not")
  func severalHops() {
    func route(_ hops: [(link: Int32, gateway: UInt8)]) -> NetworkTable.Route {
      NetworkTable.Route(
        family: 2, table: 254, priority: 0,
        hops: hops.map { NetworkTable.Hop(link: $0.link, gateway: [192, 0, 2, $0.gateway]) },
        hopObject: 0)
    }
    var table = table([
      Netlink.link(3, isUp: true), Netlink.link(4, isUp: false),
      Netlink.address([192, 0, 2, 7], link: 3),
    ])
    table.routes = [route([(3, 1), (4, 2)])]
    let both = table.path
    table.routes = [route([(3, 1)])]
    #expect(table.path == both, "a hop over a link that is down is of no use")
    table.routes = [route([(3, 2)])]
    #expect(table.path != both)
  }
}
