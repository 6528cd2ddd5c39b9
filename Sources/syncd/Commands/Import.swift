import SyncKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Command {
  private static let replace = CommandOption(
    "replace", help: "replace projects that have the same id; else those are skipped")

  static let `import` = Command(
    "import", summary: "read projects from a file",
    details: """
      FILE is a JSON array, NDJSON or CSV with a header, told by its name, its first byte or \
      --format; - is standard input. Members and columns are named as export names them; others \
      are kept as they are. A record without an id gets one, one without a stamp is stamped now. \
      Records that cannot be read are named, and the others imported.
      """,
    operands: [Operand(name: "FILE", kind: .file)],
    options: [.format, replace],
    examples: [
      Example("syncd import projects.csv", "what the spreadsheet holds"),
      Example("syncd export | ssh host syncd import --replace -", "from one machine to another"),
    ],
    run: { invocation in
      let path = invocation.operand ?? "-"
      let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else {
        throw invocation.usage("\(path) cannot be read: \(String(cString: strerror(errno)))")
      }
      defer { if descriptor > 0 { close(descriptor) } }
      let run = Importer(
        invocation: invocation, store: try invocation.openStore(), path: path,
        replaces: invocation.arguments.has(replace))
      return try await run.read(descriptor)
    })
}

/// Reads a file of projects into the store, a batch at a time.
private struct Importer {
  private struct Counts {
    var written = 0
    var skipped = 0
    var failed = 0
    /// Why the rest of the file was not read.
    var fault: String?
  }

  let invocation: Invocation
  let store: LocalStore
  let path: String
  let replaces: Bool

  /// Records in one transaction.
  private static let batch = 1000
  /// Bytes of contents in one transaction.
  private static let batchBytes = 4 << 20
  /// Failures that are named one by one.
  private static let namedFailures = 20

  func read(_ descriptor: Int32) async throws -> ExitCode {
    let progress = Progress(invocation.console, isWanted: !invocation.printsJSON)
    defer { progress.finish() }
    var counts = Counts()
    var pending: [Project] = []
    var bytes = 0
    var chunk = try FileContents.read(descriptor, path: path)
    var source = RecordSource(try format(of: chunk))
    let now = Timestamp.now
    var ids = FreshIDs(at: now)

    while true {
      var items: [RecordSource.Item] = []
      do {
        if chunk.isEmpty {
          try source.finish { items.append($0) }
        } else {
          try source.consume(chunk) { items.append($0) }
        }
      } catch let fault as RecordSource.Fault {
        counts.fault = fault.description
      }
      for item in items {
        do {
          let id = try ids.next()
          pending.append(try Project(json: try item.json.get(), id: { id }, updatedAt: now))
          bytes += try item.json.get().count
        } catch {
          counts.failed += 1
          if counts.failed <= Self.namedFailures {
            invocation.console.complain("\(path): \(item.place): \("\(error)".printable)")
          }
        }
        if pending.count >= Self.batch || bytes >= Self.batchBytes {
          try await write(&pending, &counts)
          bytes = 0
          progress.show("imported \(counts.written)")
        }
      }
      if chunk.isEmpty || counts.fault != nil { break }
      try Task.checkCancellation()
      chunk = try FileContents.read(descriptor, path: path)
    }
    try await write(&pending, &counts)
    progress.finish()
    return try summarize(counts)
  }

  private func format(of beginning: [UInt8]) throws -> ExchangeFormat {
    let named = invocation.arguments[.format].flatMap(ExchangeFormat.init(rawValue:))
    guard
      let format = named ?? ExchangeFormat(fileName: path) ?? ExchangeFormat(beginning: beginning)
    else {
      throw invocation.usage("\(path): the format cannot be told; give --format json|ndjson|csv")
    }
    return format
  }

  private func write(_ pending: inout [Project], _ counts: inout Counts) async throws {
    guard !pending.isEmpty else { return }
    let written = try await store.insert(pending, replacing: replaces)
    counts.written += written
    counts.skipped += pending.count - written
    pending.removeAll(keepingCapacity: true)
  }

  private func summarize(_ counts: Counts) throws -> ExitCode {
    let console = invocation.console
    if let fault = counts.fault {
      console.complain("\(path): \(fault); what stands before it was imported")
    }
    if counts.failed > Self.namedFailures {
      console.complain("… and \(counts.failed - Self.namedFailures) more")
    }
    if invocation.printsJSON {
      try console.print(
        JSONText.object([
          "imported": .number(counts.written), "skipped": .number(counts.skipped),
          "failed": .number(counts.failed),
        ]).description)
    } else if !console.isQuiet {
      var text = "imported \(counted(counts.written, "project"))"
      if counts.skipped > 0 {
        text +=
          replaces
          ? "; \(counts.skipped) unchanged"
          : "; skipped \(counts.skipped) there already (see --replace)"
      }
      if counts.failed > 0 { text += "; \(counts.failed) could not be read" }
      try console.print(text)
    }
    return counts.failed > 0 || counts.fault != nil ? .partial : .success
  }
}
