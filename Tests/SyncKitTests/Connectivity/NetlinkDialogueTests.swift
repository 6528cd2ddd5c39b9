import Testing

@testable import SyncKit

@Suite("The dialogue with the kernel")
struct NetlinkDialogueTests {
  private static let multi: UInt16 = 2
  private static let interrupted: UInt16 = 0x12
  private let address: [UInt8] = [192, 0, 2, 7]
  private let gateway: [UInt8] = [192, 0, 2, 1]

  /// The type and the number of a question.
  private func question(_ bytes: [UInt8]?) throws -> (type: UInt16, sequence: UInt32) {
    let bytes = try #require(bytes)
    let message = try #require(Array(NetlinkParser(bytes[...])).first)
    #expect(message.flags == 0x301)
    return (message.type, message.sequence)
  }

  /// A dialogue past its beginning, with one link that is up: the path it told, and the number of
  /// its last question.
  private func begun() throws -> (dialogue: NetlinkDialogue, path: NetworkPath, sequence: UInt32) {
    var dialogue = NetlinkDialogue()
    let links = try question(dialogue.start())
    #expect(links.type == 18)
    let up = Netlink.link(3, isUp: true, flags: Self.multi, sequence: links.sequence)
    #expect(dialogue.receive(up[...]).request == nil)
    let addresses = try question(dialogue.receive(Netlink.done(links.sequence)[...]).request)
    #expect(addresses.type == 22)
    let one = Netlink.address(
      address, link: 3, flags: Self.multi, sequence: addresses.sequence)
    let routes = try question(
      dialogue.receive((one + Netlink.done(addresses.sequence))[...]).request)
    #expect(routes.type == 26)
    let step = dialogue.receive(Netlink.done(routes.sequence)[...])
    #expect(step.request == nil && step.paths.count == 1)
    return (dialogue, try #require(step.paths.first), routes.sequence)
  }

  @Test("nothing is told before the whole table is known")
  func wholeTable() throws {
    let path = try begun().path
    #expect(path.isUp)
  }

  @Test("what a kernel said leads to one state, and to none when the cable is pulled")
  func fixture() throws {
    let fixture = try NetlinkFixture()
    var dialogue = NetlinkDialogue()
    _ = dialogue.start()
    var paths: [NetworkPath] = []
    for datagram in fixture.answers.flatMap(\.self) {
      paths += dialogue.receive(datagram[...]).paths
    }
    #expect(paths.map(\.isUp) == [true])
    for datagram in fixture["pulled"] { paths += dialogue.receive(datagram[...]).paths }
    #expect(paths.last?.isUp == false)
  }

  @Test("a flap within one datagram is two states")
  func flap() throws {
    var (dialogue, path, _) = try begun()
    let flap = Netlink.link(3, isUp: false, changes: 2) + Netlink.link(3, isUp: true, changes: 3)
    let step = dialogue.receive(flap[...])
    #expect(step.paths.map(\.isUp) == [false, true])
    #expect(step.paths.last != path)
  }

  @Test("a default route that changes is asked for; any other is not")
  func routeChange() throws {
    var (dialogue, path, _) = try begun()
    let other = Netlink.route(link: 3, gateway: gateway, prefix: 24)
    #expect(dialogue.receive(other[...]).request == nil)
    let event = Netlink.route(link: 3, gateway: gateway)
    let asked = try question(dialogue.receive(event[...]).request)
    #expect(asked.type == 26)
    let route = Netlink.route(
      link: 3, gateway: gateway, flags: Self.multi, sequence: asked.sequence)
    let step = dialogue.receive((route + Netlink.done(asked.sequence))[...])
    #expect(step.paths.count == 1 && step.paths.first != path)
  }

  @Test("routes that change while they are being told are asked for again")
  func routeChangeMeanwhile() throws {
    var (dialogue, path, _) = try begun()
    let event = Netlink.route(link: 3, gateway: gateway)
    let asked = try question(dialogue.receive(event[...]).request)
    #expect(dialogue.receive(event[...]).request == nil)
    let stale = dialogue.receive(Netlink.done(asked.sequence)[...])
    #expect(stale.paths.isEmpty)
    let again = try question(stale.request)
    #expect(again.sequence != asked.sequence)
    let route = Netlink.route(
      link: 3, gateway: gateway, flags: Self.multi, sequence: again.sequence)
    #expect(dialogue.receive((route + Netlink.done(again.sequence))[...]).paths.first != path)
  }

  @Test(
    "a part that changed while it was told is asked for again", arguments: [18, 22, 26] as [UInt16])
  func interruptedAnswer(part: UInt16) throws {
    var dialogue = NetlinkDialogue()
    var request: [UInt8]? = dialogue.start()
    var questions: [UInt16] = []
    var wasInterrupted = false
    while let bytes = request {
      let asked = try question(bytes)
      questions.append(asked.type)
      let interrupts = asked.type == part && !wasInterrupted
      wasInterrupted = wasInterrupted || interrupts
      request =
        dialogue.receive(
          Netlink.done(asked.sequence, flags: interrupts ? Self.interrupted : Self.multi)[...]
        ).request
    }
    #expect(questions == ([18, 22, 26] + [part]).sorted())
  }

  @Test("an answer that was queued after a change, and is older, is not believed")
  func olderAnswer() throws {
    var dialogue = NetlinkDialogue()
    let links = try question(dialogue.start())
    let change = Netlink.link(3, isUp: true, changes: 3)
    let older = Netlink.link(3, isUp: false, flags: Self.multi, sequence: links.sequence)
    let step = dialogue.receive((change + older + Netlink.done(links.sequence))[...])
    let again = try question(step.request)
    #expect(again.type == links.type && again.sequence != links.sequence)
    let up = Netlink.link(3, isUp: true, flags: Self.multi, sequence: again.sequence)
    let addresses = try question(
      dialogue.receive((up + Netlink.done(again.sequence))[...]).request)
    let gone = Netlink.address(address, link: 3, isGone: true)
    let stale = Netlink.address(address, link: 3, flags: Self.multi, sequence: addresses.sequence)
    let once = try question(
      dialogue.receive((gone + stale + Netlink.done(addresses.sequence))[...]).request)
    #expect(once.type == addresses.type)
    let routes = try question(dialogue.receive(Netlink.done(once.sequence)[...]).request)
    let end = dialogue.receive(Netlink.done(routes.sequence)[...])
    #expect(end.paths.map(\.isUp) == [false])
  }

  @Test("after a loss, what is queued is not believed, and everything is asked for again")
  func loss() throws {
    var (dialogue, path, _) = try begun()
    dialogue.overrun()
    let stale = dialogue.receive(Netlink.link(3, isUp: false)[...])
    #expect(stale.paths.isEmpty && stale.request == nil)
    var asked = try question(dialogue.drained())
    #expect(asked.type == 18 && dialogue.drained() == nil)
    let parts: [(UInt32) -> [UInt8]] = [
      { Netlink.link(3, isUp: true, flags: Self.multi, sequence: $0) },
      { Netlink.address(address, link: 3, flags: Self.multi, sequence: $0) },
    ]
    for part in parts {
      let answer = part(asked.sequence) + Netlink.done(asked.sequence)
      asked = try question(dialogue.receive(answer[...]).request)
    }
    #expect(dialogue.receive(Netlink.done(asked.sequence)[...]).paths.isEmpty, "it is as it was")
    let down = dialogue.receive(Netlink.link(3, isUp: false)[...])
    #expect(down.paths.map(\.isUp) == [false] && down.paths.first != path)
  }

  @Test("a damaged datagram counts as a loss")
  func damaged() throws {
    var dialogue = try begun().dialogue
    #expect(dialogue.receive([1, 2, 3]).request == nil)
    let asked = try question(dialogue.drained())
    #expect(asked.type == 18)
  }

  @Test("the end of a question that is not asked any more is no end")
  func lateEnd() throws {
    var (dialogue, _, sequence) = try begun()
    dialogue.overrun()
    _ = dialogue.drained()
    let step = dialogue.receive(Netlink.done(sequence)[...])
    #expect(step.request == nil && step.paths.isEmpty)
  }

  @Test("a refusal is the end, unless the kernel was only busy")
  func refusal() throws {
    var dialogue = NetlinkDialogue()
    let asked = try question(dialogue.start())
    _ = dialogue.receive(Netlink.error(asked.sequence, code: -16)[...])
    #expect(!dialogue.isRefused)
    let again = try question(dialogue.drained())
    _ = dialogue.receive(Netlink.error(again.sequence, code: -1)[...])
    #expect(dialogue.isRefused && dialogue.drained() == nil)
  }
}
