import SyncKit
import Testing

@testable import syncd

@Suite("Status and plan")
struct StatusViewTests {
  private static let now = Timestamp(microseconds: 1_800_000_000_000_000)

  private func ago(_ seconds: Int64) -> Timestamp {
    Timestamp(microseconds: Self.now.microseconds - seconds * 1_000_000)
  }

  private func view(_ change: (inout StoreStatus) -> Void = { _ in }) -> StatusView {
    var status = StoreStatus(path: "/p.db", id: "s1")
    change(&status)
    return StatusView(status: status, url: "http://h/v1/projects", now: Self.now)
  }

  @Test("the JSON of a store that never synced")
  func fresh() {
    #expect(
      view().json.description
        == #"{"service":{"running":false,"pid":null,"state":"stopped","reason":"","nextAttempt":null,"pausedUntil":null},"#
        + #""store":{"path":"/p.db","id":"s1","projects":0},"#
        + #""remote":{"url":"http://h/v1/projects","dialect":"","clockSkew":null},"pending":0,"#
        + #""oldestPending":null,"lastRun":null,"lastSuccess":null,"conflicts":0,"#
        + #""conflictIds":[],"setAside":[]}"#)
  }

  @Test("clocks that are more than a minute apart are warned of, and by how much")
  func skew() {
    let lines = { (seconds: Int64) in
      self.view { $0.clockSkew = .seconds(seconds) }.lines(Console())
        .filter { $0.hasPrefix("warning") }
    }
    #expect(lines(59).isEmpty && lines(-59).isEmpty)
    #expect(lines(150).first?.contains("3 minutes behind the remote's") == true)
    #expect(lines(-4 * 3600).first?.contains("4 hours ahead of the remote's") == true)
    #expect(view { $0.clockSkew = .seconds(-90) }.json.description.contains(#""clockSkew":-90"#))
  }

  @Test("the last run is the stored report with its moment; what was set aside is listed")
  func full() {
    let view = view {
      $0.lastRun = #"{"outcome":"inSync","message":""}"#
      $0.lastRunAt = ago(60)
      $0.setAside = [
        SetAside(id: "a", action: "update", status: 422, message: "no \"title\"", since: ago(90))
      ]
    }
    #expect(
      view.json.description.contains(
        #""lastRun":{"outcome":"inSync","message":"","at":"2027-01-15T07:59:00.000000Z"},"#))
    #expect(
      view.json.description.contains(
        #""setAside":[{"id":"a","action":"update","status":422,"message":"no \"title\"","#
          + #""since":"2027-01-15T07:58:30.000000Z"}]"#))
  }

  @Test("--check rings for no success, an old success and an old pending change")
  func check() {
    let limit = Duration.seconds(3600)
    #expect(view().trouble(limit: limit) != nil)
    #expect(view { $0.lastSuccess = ago(3601) }.trouble(limit: limit) != nil)
    #expect(view { $0.lastSuccess = ago(3599) }.trouble(limit: limit) == nil)
    #expect(
      view {
        $0.lastSuccess = ago(10)
        $0.oldestPending = ago(7200)
      }.trouble(limit: limit) != nil)
  }

  @Test("the words name the age of the oldest pending change")
  func words() {
    let lines = view {
      $0.pending = 2
      $0.oldestPending = ago(180)
    }.lines(Console())
    #expect(lines[2] == "service       not running")
    #expect(lines[3] == "pending       2 changes, the oldest from 2027-01-15 07:57:00Z (3 min ago)")
  }

  @Test("conflicts that wait are listed by id, twenty of them in words and all in JSON")
  func conflicts() {
    let few = view { $0.conflictIDs = ["a", "b\u{1B}"] }
    #expect(few.lines(Console()).suffix(3) == ["conflicts: 2", "  a", "  " + "b\u{1B}".printable])
    #expect(few.json.description.contains(#""conflicts":2,"conflictIds":["a","b\u001b"],"#))
    let many = view { $0.conflictIDs = (0..<45).map { "id\($0)" } }
    #expect(many.lines(Console()).suffix(2) == ["  id19", "  and 25 more"])
    #expect(many.json.description.contains(#""id44"],"#))
  }

  @Test("records that were set aside are listed, twenty of them in words")
  func manySetAside() {
    let lines = view {
      $0.setAside = (0..<21).map {
        SetAside(id: "id\($0)", action: "update", status: 422, message: "no", since: ago(1))
      }
    }.lines(Console())
    #expect(lines.suffix(2) == ["  id19  update  422: no", "  and 1 more"])
    #expect(lines.contains("set aside: 21"))
  }

  @Test("the JSON of a plan")
  func plan() throws {
    var plan = SyncPlan(direction: .both)
    plan.refused = Refusal(guard: .emptySide, side: .remote, deletions: 2, of: 2)
    plan.unchanged = 7
    plan.remote.append = [try ProjectID("a"), try ProjectID("b")]
    plan.local.delete = [try ProjectID("c\"")]
    plan.conflicts = [
      SyncPlan.Conflict(id: try ProjectID("d"), winner: .local),
      SyncPlan.Conflict(id: try ProjectID("e"), winner: nil),
    ]
    #expect(
      plan.json.description
        == #"{"direction":"both","refused":{"guard":"emptySide","side":"remote","#
        + #""deletions":2,"of":2},"unchanged":7,"#
        + #""remote":{"append":["a","b"],"update":[],"delete":[]},"#
        + #""local":{"append":[],"update":[],"delete":["c\""]},"adopt":[],"remoteNewer":[],"#
        + #""localNewer":[],"kept":[],"#
        + #""conflicts":[{"id":"d","winner":"local"},{"id":"e","winner":null}]}"#)
  }
}
