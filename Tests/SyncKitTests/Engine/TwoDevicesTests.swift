import TestSupport
import Testing

@testable import SyncKit

@Suite("Two devices on one project")
struct TwoDevicesTests {
  @Test(
    "that each edit it a hundred times offline come to the same, with a bounded history",
    arguments: ConflictPolicy.allCases)
  func hundredEdits(policy: ConflictPolicy) async throws {
    let options = SyncOptions(direction: .both, conflicts: policy)
    let one = try await Rig(local: ["a"])
    _ = try await one.sync(options)
    let two = Rig(store: try LocalStore(inMemory: ()), remote: one.remote)
    _ = try await two.sync(options)
    for round in 0..<3 {
      for edit in 0..<100 {
        try await one.write("a", title: "one \(round) \(edit)")
        try await two.write("a", title: "two \(round) \(edit)")
      }
      for rig in [one, two, one, two] {
        let report = try await rig.sync(options)
        guard report.outcome == .conflicts else { continue }
        #expect(policy == .manual)
        let conflict = try await rig.store.conflict("a", remote: rig.remote.url)
        try await rig.store.resolve(conflict, keep: .local, remote: rig.remote.url)
        #expect(try await rig.sync(options).outcome == .inSync)
      }
      #expect(try await one.localTitles() == (try await two.localTitles()))
      #expect(one.remoteTitles == (try await one.localTitles()))
      for rig in [one, two] {
        try await rig.expectAtRest(options)
        let history = try await rig.store.history(of: ProjectID("a"))
        #expect(history.count <= 402)
        // The last that each device wrote is there still, on the device itself.
        let own = rig.store === one.store ? "one" : "two"
        let titles = try await rig.localTitles().values + history.map(\.project.title)
        #expect(titles.contains("\(own) \(round) 99"))
      }
    }
  }
}
