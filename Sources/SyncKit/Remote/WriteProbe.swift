import Synchronization

/// What a remote makes of writes, found out by writing: a handful of records under ids of the probe's
/// own, which are taken away again.
///
/// Whoever else looks at the remote meanwhile sees those records come and go.
public struct WriteProbe: Sendable {
  /// One thing that was found out.
  public struct Finding: Sendable, Equatable {
    public enum Kind: String, Sendable {
      /// As it should be.
      case sound
      /// What the remote cannot hold, or keeps in another way; a record that needs it is set aside.
      case limit
      /// What a run relies on, and the remote does not keep.
      case fault
    }

    public var kind: Kind
    public var message: String
  }

  private let remote: any RemoteStore
  private let name: String
  private var findings: [Finding] = []
  /// Every id that was tried, whatever came of it.
  private var tried: [ProjectID] = []
  private var stored: Set<ProjectID> = []

  private init(_ remote: any RemoteStore, _ name: String) {
    (self.remote, self.name) = (remote, name)
  }

  /// Writes, looks, and takes away what it wrote, when it is cancelled or fails too.
  ///
  /// - Parameter name: what its ids begin with: letters and digits that no record's id begins with.
  /// - Throws: `SyncError` for what concerns the whole remote; `CancellationError`.
  public static func run(
    on remote: any RemoteStore,
    name: String = "syncdprobe" + String(UInt64.random(in: 1 << 60...UInt64.max), radix: 16)
  ) async throws -> [Finding] {
    var probe = WriteProbe(remote, name)
    var failure: (any Error)?
    do {
      try await probe.look()
    } catch {
      failure = error
    }
    // Not a child of this task, so that it is done where this one was cancelled.
    let tried = probe.tried
    let left = await Task { await takeAway(tried, from: remote) }.value
    if !left.isEmpty {
      let names = left.map(\.string).joined(separator: ", ")
      probe.note(.fault, "may still be there, and is yours to take away: \(names)")
    }
    if let failure {
      guard let error = failure as? SyncError, !left.isEmpty else { throw failure }
      let words = probe.findings.last?.message ?? ""
      throw SyncError(error.code, "\(error.message); \(words)", status: error.status)
    }
    return probe.findings
  }

  private mutating func note(_ kind: Finding.Kind, _ message: String) {
    findings.append(Finding(kind: kind, message: message))
  }

  private mutating func look() async throws {
    guard let first = try await create() else { return }
    try await lookAtStamps(first)
    try await lookAtConditions(first)
    try await lookAtContents()
    try await lookAtIDs()
    try await lookAtListing()
  }

  private func project(_ suffix: String, title: String = "syncd check --write") -> Project {
    let stamp = Timestamp(microseconds: 1_800_000_000_123_456)
    return Project(
      id: ProjectID(trusted: name + suffix), title: title, body: "It is taken away again.",
      createdAt: stamp, updatedAt: stamp)
  }

  private mutating func put(
    _ project: Project, _ condition: WriteCondition = .absent
  ) async throws -> WriteOutcome {
    tried.append(project.id)
    let outcomes = try await remote.write([.put(project, condition)]).outcomes
    if outcomes.first?.held != nil { stored.insert(project.id) }
    return outcomes.first ?? .refused(status: 0, message: "no outcome")
  }

  /// - Returns: nil where nothing can be written.
  private mutating func create() async throws -> RemoteDigest? {
    let outcome = try await put(project(""))
    guard let digest = outcome.held else {
      note(.fault, "a new record is not taken: \(outcome.words)")
      return nil
    }
    note(.sound, "a new record is taken")
    return digest
  }

  // MARK: What comes back

  private mutating func lookAtStamps(_ digest: RemoteDigest) async throws {
    let sent = project("")
    guard case .record(let record)? = try await remote.fetch([digest.id]).first else {
      return note(.fault, "a record that was written does not come back")
    }
    let got = record.project
    let units: [(Int64, String)] = [
      (1, "to the microsecond"), (1000, "to the millisecond"), (1_000_000, "to the second"),
    ]
    let span = got.updatedAt.microseconds - sent.updatedAt.microseconds
    if let unit = units.first(where: { $0.0 > span.magnitude }) {
      note(unit.0 == 1 ? .sound : .limit, "stamps come back \(unit.1)")
    } else {
      note(.limit, "the server puts stamps of its own in the place of a record's")
    }
    noteDifferences(sent, got, "a plain record")
  }

  private mutating func noteDifferences(_ sent: Project, _ got: Project, _ what: String) {
    let names = FieldDifference.between(local: sent, remote: got, base: nil).map(\.name)
    if names.isEmpty {
      note(.sound, "\(what) comes back as it was sent")
    } else {
      note(.limit, "\(what) comes back changed: \(names.joined(separator: ", "))")
    }
  }

  /// What not every server holds, a record each.
  private mutating func lookAtContents() async throws {
    var samples: [(String, Project)] = []
    var sample = project("words", title: "\u{0B}\u{7F} \"\\ 🗓 e\u{301}")
    sample.state = "blocked"
    samples.append(("a record with odd characters and a state of its own", sample))
    sample = project("due")
    sample.dueAt = "2026-12-01T10:00:00+05:45"
    samples.append(("a due date with an offset", sample))
    sample = project("extra")
    sample.extra = ExtraMembers(trusted: #"{"probe":{"a":[1,[2,[]],{"b":null}],"c":true}}"#)
    samples.append(("a record with further members, lists in lists", sample))
    sample = project("numbers")
    sample.extra = ExtraMembers(trusted: #"{"probe":12345678901234567890}"#)
    samples.append(("a number of twenty digits", sample))
    for (what, sent) in samples {
      let outcome = try await put(sent)
      guard outcome.held != nil else {
        note(.limit, "\(what) is not taken: \(outcome.words)")
        continue
      }
      guard case .record(let record)? = try await remote.fetch([sent.id]).first else {
        note(.fault, "\(what) does not come back")
        continue
      }
      noteDifferences(sent, record.project, what)
    }
  }

  // MARK: Conditions

  private mutating func lookAtConditions(_ first: RemoteDigest) async throws {
    var edited = project("", title: "syncd check --write, edited")
    edited.updatedAt = Timestamp(microseconds: edited.updatedAt.microseconds + 10_000_000)
    let outcome = try await put(edited, .matches(first))
    guard outcome.held != nil else {
      return note(.fault, "an edit is not taken: \(outcome.words)")
    }
    var late = project("", title: "syncd check --write, late")
    late.updatedAt = Timestamp(microseconds: late.updatedAt.microseconds + 20_000_000)
    var broken: [String] = []
    if try await put(late, .absent).held != nil { broken.append("a new record over another") }
    if try await put(late, .matches(first)).held != nil {
      broken.append("an edit over an edit that it has not seen")
    }
    let deletion = try await remote.write([.delete(first.id, .matches(first))]).outcomes.first
    if case .deleted? = deletion {
      broken.append("a deletion over an edit that it has not seen")
      stored.remove(first.id)
    }
    guard broken.isEmpty else {
      return note(.fault, "conditions do not hold: it takes \(broken.joined(separator: ", "))")
    }
    let isHonoured = await remote.conditionalWrites ?? false
    note(
      isHonoured ? .sound : .limit,
      isHonoured
        ? "conditions on writes hold, on the remote itself"
        : "conditions on writes hold because each record is looked at right before: who writes in "
          + "that moment is written over")
  }

  // MARK: Ids

  private mutating func lookAtIDs() async throws {
    let suffixes = [
      "-", "_", ".", ":", "+", "@", " ", "/", "%2F", "?", "#", "\u{E9}", "e\u{301}", "🗓", "\"\\",
    ]
    var refused: [String] = []
    for suffix in suffixes {
      if try await !isHeld(project(suffix + "x")) { refused.append(suffix) }
    }
    let rest = ProjectID.maximumBytes - name.utf8.count
    if try await !isHeld(project(String(repeating: "l", count: rest))) {
      refused.append("255 bytes")
    }
    if try await isHeld(project("case")), try await !isHeld(project("CASE")) {
      refused.append("ids that differ by case alone")
    }
    note(
      refused.isEmpty ? .sound : .limit,
      refused.isEmpty
        ? "it holds ids of every kind"
        : "it does not hold ids with \(refused.joined(separator: "  ")), such records are set aside"
    )
  }

  private mutating func isHeld(_ project: Project) async throws -> Bool {
    guard try await put(project).held != nil else { return false }
    guard case .record(let record)? = try await remote.fetch([project.id]).first else {
      return false
    }
    return record.project.id == project.id
  }

  /// Whether what was written is listed, each once and under its own id.
  private mutating func lookAtListing() async throws {
    let name = name
    let counts = Mutex([ProjectID: Int]())
    _ = try await remote.list(since: nil) { entries in
      counts.withLock { counts in
        for entry in entries {
          guard let id = entry.digest?.id, id.string.utf8.starts(with: name.utf8) else { continue }
          counts[id, default: 0] += 1
        }
      }
    }
    let listed = counts.withLock { $0 }
    let faults = [
      (stored.subtracting(listed.keys).count, "lacks"),
      (listed.values.count { $0 > 1 }, "names more than once"),
      (Set(listed.keys).subtracting(stored).count, "names, though they were not taken,"),
    ].filter { $0.0 > 0 }
    guard !faults.isEmpty else {
      return note(.sound, "the list names every record that was written, once")
    }
    let words = faults.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
    note(.fault, "of \(stored.count) records that were written the list \(words)")
  }

  // MARK: The end

  /// - Returns: what is still there, or may be.
  private static func takeAway(
    _ tried: [ProjectID], from remote: any RemoteStore
  ) async -> [ProjectID] {
    var left: [ProjectID] = []
    for id in Set(tried).sorted() {
      do {
        switch try await remote.fetch([id]).first {
        case .absent?: break
        case .record(let record)?:
          let write = RemoteWrite.delete(id, .matches(record.digest))
          guard case .deleted? = try await remote.write([write]).outcomes.first else {
            left.append(id)
            continue
          }
        default: left.append(id)
        }
      } catch {
        left.append(id)
      }
    }
    return left
  }
}

extension WriteOutcome {
  fileprivate var words: String {
    switch self {
    case .stored: "it was stored"
    case .altered: "it was stored with other contents"
    case .deleted: "it was deleted"
    case .preconditionFailed: "the remote says that another one is there"
    case .deletedSince: "the remote says that it was deleted"
    case .refused(_, let message): message
    }
  }
}
