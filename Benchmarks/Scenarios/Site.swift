#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A store filled with projects, from which every run gets a copy.
struct Seed {
  let count: Int
  let store: String
  /// Bytes of the same projects as JSON, a line each.
  let bytes: Int

  init(_ count: Int, workspace: Workspace) throws {
    self.count = count
    let folder = try workspace.makeFolder("seed-\(count)")
    store = "\(folder)/projects.db"
    try workspace.output(
      [
        workspace.syncd, "init", "--config", "\(folder)/config.json5", "--store", store,
        "--remote", "http://127.0.0.1:9/v1/projects",
      ], name: "init")
    let said = try workspace.output(
      [workspace.bench, "fill", store, String(count)], name: "fill")
    guard let bytes = Int(said.firstLine) else { throw BenchError("fill said \(said)") }
    self.bytes = bytes
  }
}

/// A fresh copy of a store, a fresh server beside the floors' own, and the configs that join them.
final class Site {
  let workspace: Workspace
  let network: Network
  let seed: Seed
  let store: String
  let server: ServerProcess
  /// The other side of the floors.
  let sink: ServerProcess
  private let folder: String
  private var round = 0

  init(_ seed: Seed, network: Network = .loopback, workspace: Workspace) throws {
    (self.workspace, self.network, self.seed) = (workspace, network, seed)
    folder = try workspace.makeFolder("site")
    store = "\(folder)/projects.db"
    try Files.copy(seed.store, store)
    // What was written until now is not to be waited for by what is measured.
    sync()
    server = try Self.makeServer("server", in: folder, network, workspace: workspace)
    sink = try ServerProcess(
      network.far + [workspace.bench, "sink", "\(folder)/sink.db", network.address],
      log: "\(folder)/sink.log")
  }

  /// `syncd serve` on a store of its own.
  static func makeServer(
    _ name: String, in folder: String, _ network: Network, workspace: Workspace
  ) throws -> ServerProcess {
    let words = ["serve", "--listen", "\(network.address):0", "--store", "\(folder)/\(name).db"]
    return try ServerProcess(
      network.far + [workspace.syncd] + words, log: "\(folder)/\(name).log")
  }

  func stop() {
    server.stop()
    sink.stop()
  }

  /// Writes the config for runs of this kind.
  ///
  /// - Returns: its path.
  func config(
    _ dialect: String, direction: String = "push", query: String? = nil, more: String = ""
  ) throws -> String {
    let path = "\(folder)/config-\(dialect)-\(direction).json5"
    let asks = query.map { ", query: \"\($0)\"" } ?? ""
    try Files.write(
      "{ store: \"\(store)\", direction: \"\(direction)\", remote: { "
        + "url: \"\(server.collection)\", dialect: \"\(dialect)\"\(asks) }, \(more) }\n",
      to: path)
    return path
  }

  /// What a run must have written.
  struct Expected: Equatable {
    var appended = 0
    var updated = 0
    var deleted = 0
    var pulled = 0
  }

  /// One reconciliation, which must have written so many records, and no other.
  func once(_ config: String, _ expected: Expected = Expected()) throws -> Sample {
    let (sample, report) = try workspace.measure(
      network.near + [workspace.syncd, "once", "--config", config, "--json"], server: server,
      name: "once")
    let written = Expected(
      appended: report.appended, updated: report.updated, deleted: report.deleted,
      pulled: report.pulled)
    guard written == expected else { throw BenchError("once wrote \(report), not \(expected)") }
    // A run asks the remote something, or it has not seen that there is nothing to do.
    guard sample.requests >= 1, sample.sent > 0, sample.received > 0 else {
      throw BenchError("once reports no traffic, so that its figures are none: \(report)")
    }
    return sample
  }

  /// Runs a floor towards the sink, or towards another server.
  func floor(_ words: [String], to server: ServerProcess? = nil, path: String = "") throws
    -> Sample
  {
    let server = server ?? sink
    return try workspace.measure(
      network.near + [workspace.bench, words[0], server.collection + path] + words.dropFirst(),
      server: server, name: words[0]
    ).sample
  }

  /// Changes the store by SQL: so many edits, half as many additions and deletions.
  func change(edits: Int) throws -> Expected {
    try workspace.output(
      [workspace.bench, "change", store, String(seed.count), String(edits), String(nextRound())],
      name: "change")
    return edits == 1
      ? Expected(updated: 1)
      : Expected(appended: edits / 2, updated: edits, deleted: edits / 2)
  }

  /// Lets a second client edit records on the remote.
  func alter(_ count: Int) throws -> Expected {
    let said = try workspace.output(
      network.near + [workspace.bench, "alter", server.collection, store] + scattered(count),
      name: "alter")
    guard Int(said.firstLine) == count else { throw BenchError("alter said \(said)") }
    return Expected(pulled: count)
  }

  /// The step and the number of records that lie scattered over the store. A tenth more than asked
  /// for lie in the steps: some are deleted meanwhile.
  func scattered(_ count: Int) -> [String] {
    [String(seed.count * 9 / 10 / count), String(count)]
  }

  /// Lets the store forget which version of the remote it knows.
  func forgetVersion() throws {
    try Connection(store).execute("UPDATE syncd_remote SET collection_version = NULL")
  }

  /// Lets the server forget what was changed until now.
  func forgetChanges() throws {
    try Connection("\(folder)/server.db").execute("UPDATE space SET forgotten = seq")
  }

  /// Compares both sides fully, contents included.
  func verify(_ config: String) throws {
    try workspace.output(
      network.near + [workspace.syncd, "verify", "--config", config, "--json"], name: "verify")
  }

  private func nextRound() throws -> Int {
    guard round < Change.rounds else { throw BenchError("no changes are left to make") }
    defer { round += 1 }
    return round
  }
}
