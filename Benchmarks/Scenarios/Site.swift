/// A store filled with projects, from which every run gets a copy.
struct Seed {
  let count: Int
  let store: String
  /// The same projects, a line of JSON each.
  let lines: String

  init(_ count: Int, workspace: Workspace) throws {
    self.count = count
    let folder = try workspace.makeFolder("seed-\(count)")
    store = "\(folder)/projects.db"
    lines = "\(folder)/projects.ndjson"
    try workspace.output(
      [
        workspace.syncd, "init", "--config", "\(folder)/config.json5", "--store", store,
        "--remote", "http://127.0.0.1:9/v1/projects",
      ], name: "init")
    try workspace.output([workspace.bench, "fill", store, String(count), lines], name: "fill")
  }
}

/// A fresh copy of a store, a fresh server, and the config that joins them.
struct Site {
  let workspace: Workspace
  let store: String
  let server: ServerProcess
  private let config: String

  init(_ seed: Seed, dialect: String, workspace: Workspace) throws {
    self.workspace = workspace
    let folder = try workspace.makeFolder("site-\(dialect)-\(seed.count)")
    store = "\(folder)/projects.db"
    config = "\(folder)/config.json5"
    try Files.copy(seed.store, store)
    server = try Self.makeServer(in: folder, workspace: workspace)
    try Files.write(
      "{ store: \"\(store)\", remote: { url: \"\(server.collection)\", dialect: \"\(dialect)\" } }\n",
      to: config)
  }

  /// `syncd serve` on a store of its own.
  static func makeServer(in folder: String, workspace: Workspace) throws -> ServerProcess {
    try ServerProcess(
      [workspace.syncd, "serve", "--listen", "127.0.0.1:0", "--store", "\(folder)/server.db"],
      log: "\(folder)/server.log")
  }

  /// The bench's own server, on a table of its own.
  static func makeSink(_ name: String, workspace: Workspace) throws -> ServerProcess {
    let folder = try workspace.makeFolder(name)
    return try ServerProcess(
      [workspace.bench, "sink", "\(folder)/sink.db"], log: "\(folder)/sink.log")
  }

  /// One reconciliation, which must have written so many records on the remote.
  func once(appended: Int = 0, updated: Int = 0, deleted: Int = 0) throws -> Sample {
    let (sample, report) = try workspace.measure(
      [workspace.syncd, "once", "--config", config, "--json"], server: server, name: "once")
    guard (report.appended, report.updated, report.deleted) == (appended, updated, deleted) else {
      throw BenchError(
        "once wrote \(report), not \(appended) appended, \(updated) updated, \(deleted) deleted")
    }
    // A run asks the remote something, or it has not seen that there is nothing to do.
    guard sample.requests >= 1, sample.sent > 0, sample.received > 0 else {
      throw BenchError("once reports no traffic, so that its figures are none: \(report)")
    }
    return sample
  }
}
