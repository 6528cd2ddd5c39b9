import SyncKit
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The real binary before a real server, behind a proxy that breaks what a test chooses.
struct RealServer: Sendable {
  /// One device.
  let tool: Tool
  let proxy: WireProxy
  private let remote: @Sendable (Tool) throws -> String
  private let direction: String
  /// The most requests of a run with nothing to do.
  private let restRequests: Int

  /// - Parameter remote: writes a device's credentials, and gives what `remote` has beside its URL.
  init(
    _ url: String, direction: String = "both", restRequests: Int,
    remote: @escaping @Sendable (Tool) throws -> String
  ) throws {
    (self.remote, self.direction, self.restRequests) = (remote, direction, restRequests)
    proxy = try WireProxy(to: url)
    tool = try Tool()
    try configure(tool)
  }

  func configure(_ tool: Tool) throws {
    try tool.folder.write(
      """
      { direction: "\(direction)", guards: { maxDeletionShare: 0.9, maxDeletions: 500 },
        remote: { \(try remote(tool)) } }
      """, to: "syncd/config.json5")
  }

  /// Another device, with a store and a configuration of its own.
  func device() throws -> Tool {
    let other = try Tool()
    try configure(other)
    return other
  }

  func fill(_ count: Int, _ members: String = "\"effort\":1.50") async throws {
    let lines = (0..<count).map { #"{"id":"p\#($0)","title":"project \#($0)",\#(members)}"# }
    try await tool.run("import", "-", "--format", "ndjson", input: lines.joined(separator: "\n"))
  }

  /// A run that is killed once so many requests have been sent, answered or not.
  func killed(after requests: Int, carriedOut: Bool) async throws {
    let run = try tool.start([
      "once", "-q", "--retry-for", "0s", "--store", tool.store, "--remote", proxy.url,
    ])
    let count = Mutex(0)
    proxy.setFault { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      guard number == requests else { return nil }
      run.signal(SIGKILL)
      return carriedOut ? .answerLost : .lost
    }
    _ = await run.wait()
    proxy.setFault(nil)
  }

  /// A second run, which writes nothing.
  func expectAtRest(_ tool: Tool) async throws {
    proxy.wire.forgetRequests()
    let run = try await tool.once(proxy.url)
    #expect(run.status == 0, "\(run.report.message)")
    #expect(run.report.remote.total == 0 && run.report.local.total == 0, "\(run.report)")
    #expect(run.report.requests <= restRequests, "\(run.report)")
  }

  /// 2,000 projects go there by runs that are killed and requests that fail; another device takes them over;
  /// both edit, create and delete; in the end both are equal.
  ///
  /// - Parameters:
  ///   - kills: after how many requests, and whether the last of them is carried out.
  ///   - faults: what fails of the first run that is not killed, by the number of the request.
  func expectThousandsToConverge(
    kills: [(Int, Bool)], lastKill: Int,
    faults: @escaping @Sendable (Int) -> WireProxy.Fault? = { _ in nil }
  ) async throws {
    let url = proxy.url
    for (cut, carriedOut) in kills { try await killed(after: cut, carriedOut: carriedOut) }
    let count = Mutex(0)
    proxy.setFault { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return faults(number)
    }
    let first = try await tool.once(url, "--retry-for", "60s")
    #expect(first.status == 0, "\(first.report.message) \(first.report.failed.prefix(3))")
    proxy.setFault(nil)
    try await expectAtRest(tool)

    let other = try device()
    let second = try await other.once(url)
    #expect(second.report.local.appended == 2000, "\(second.report.message) \(second.errors)")
    #expect(try await other.titles() == (try await tool.titles()))

    // Both edit, create and delete.
    try await tool.sql(
      "UPDATE projects SET title='here' WHERE id IN ('p1','p2','p3');"
        + "DELETE FROM projects WHERE id BETWEEN 'p100' AND 'p1004';"
        + "INSERT INTO projects(id,title) VALUES('new-here','new');")
    try await other.sql(
      "UPDATE projects SET body='there' WHERE id IN ('p3','p4','p5');"
        + "DELETE FROM projects WHERE id='p6';"
        + "INSERT INTO projects(id,title) VALUES('new-there','new');")
    try await killed(after: lastKill, carriedOut: true)
    for device in [tool, other, tool, other] {
      let run = try await device.once(url, "--retry-for", "30s")
      #expect(run.status == 0, "\(run.report.message) \(run.report.failed.prefix(3))")
    }
    let titles = try await tool.titles()
    #expect(titles == (try await other.titles()))
    #expect(titles["p6"] == nil && titles["new-there"] == "new" && titles["p100"] == nil)
    try await expectAtRest(tool)
    try await expectAtRest(other)
    #expect(try await tool.sql("PRAGMA integrity_check") == "ok\n")
  }
}
