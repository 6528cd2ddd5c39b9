import SyncKit

/// A conflict that waits, field by field, in words and as JSON.
struct ConflictView {
  let conflict: WaitingConflict
  let now: Timestamp

  var title: String { (conflict.local ?? conflict.remote)?.title ?? "" }

  /// As `conflicts` lists it.
  var summary: JSONText {
    .object([
      "id": .string(conflict.id.string), "title": .string(title),
      "since": .string(conflict.since.description),
      "localUpdatedAt": .string(conflict.local?.updatedAt.description),
      "remoteUpdatedAt": .string(conflict.remote?.updatedAt.description),
    ])
  }

  private var differences: [FieldDifference] {
    guard let local = conflict.local, let remote = conflict.remote else { return [] }
    return FieldDifference.between(local: local, remote: remote, base: conflict.base)
  }

  var json: JSONText {
    let merge = conflict.merge
    return .object([
      "id": .string(conflict.id.string), "title": .string(title),
      "since": .string(conflict.since.description),
      "local": conflict.local.json, "remote": conflict.remote.json, "base": conflict.base.json,
      "differences": .array(
        differences.map { field in
          .object([
            "field": .string(field.name), "local": .field(field.local),
            "remote": .field(field.remote), "base": .field(field.base),
          ])
        }),
      "merged": merge.map(\.project).json, "clashes": .strings(merge?.clashes ?? []),
    ])
  }

  func lines(_ console: Console) -> [String] {
    var lines = [console.styled(title.printable, .bold)]
    var rows = [
      ("id", conflict.id.string), ("since", conflict.since.described(at: now)),
      ("local", conflict.local.map { "changed \($0.updatedAt.described(at: now))" } ?? "deleted"),
      (
        "remote",
        conflict.remote.map { "changed \($0.updatedAt.described(at: now))" }
          ?? "could not be fetched yet"
      ),
    ]
    if conflict.base == nil { rows.append(("before", "not known")) }
    lines += rows.map { "  " + $0.0.padded(to: 8) + $0.1.printable }
    if conflict.local != nil, conflict.remote != nil, differences.isEmpty {
      lines += ["", "Both are the same by now; the next run sees it."]
    }
    for field in differences {
      lines.append("")
      lines.append(console.styled(field.name.printable, .bold))
      lines += isLong(field) ? diff(field, console) : values(field)
    }
    return lines + [""] + advice
  }

  private func isLong(_ field: FieldDifference) -> Bool {
    [field.base, field.local, field.remote].contains { $0?.text.contains("\n") == true }
  }

  private func values(_ field: FieldDifference) -> [String] {
    var rows = [("local", field.local), ("remote", field.remote)]
    if conflict.base != nil { rows.insert(("before", field.base), at: 0) }
    return rows.map { "  " + $0.0.padded(to: 8) + ($0.1?.text.printable ?? "(none)") }
  }

  /// What each side made of what both had; where that is not known, how the remote differs from here.
  private func diff(_ field: FieldDifference, _ console: Console) -> [String] {
    let (mine, theirs) = (field.local?.text ?? "", field.remote?.text ?? "")
    guard conflict.base != nil else {
      return diff("- local, + remote", from: mine, to: theirs, console)
    }
    let was = field.base?.text ?? ""
    let changes =
      diff("- before, + local", from: was, to: mine, console)
      + diff("- before, + remote", from: was, to: theirs, console)
    // Where both wrote it anew, what they differ in says more than what either left of it.
    let between = diff("- local, + remote", from: mine, to: theirs, console)
    return between.count < changes.count / 2 ? between : changes
  }

  private func diff(
    _ heading: String, from old: String, to new: String, _ console: Console
  ) -> [String] {
    let lines = LineDiff(from: old, to: new).lines.map { line in
      switch line {
      case .same(let text): "    " + text.printable
      case .gone(let text): console.styled("  - " + text.printable, .red)
      case .new(let text): console.styled("  + " + text.printable, .green)
      case .skipped(let count): console.styled("    … \(counted(count, "equal line"))", .dim)
      }
    }
    return [console.styled("  \(heading)", .dim)] + lines
  }

  private var advice: [String] {
    let command = "syncd conflicts resolve \(conflict.id.string.printable)"
    guard let merge = conflict.merge else { return ["\(command) --keep local|remote"] }
    let clashes =
      merge.clashes.isEmpty
      ? "the changes of both, none of which clash"
      : "the changes of both; of \(merge.clashes.joined(separator: ", ").printable), the \(merge.newer.rawValue) one, the newer"
    return ["\(command) --keep local|remote|merged", "merged: \(clashes)"]
  }
}

extension FieldDifference.Value {
  fileprivate var text: String {
    switch self {
    case .text(let text), .json(let text): text
    }
  }
}

extension JSONText {
  fileprivate static func field(_ value: FieldDifference.Value?) -> JSONText {
    switch value {
    case nil: .null
    case .text(let text): .string(text)
    case .json(let json): .raw(json)
    }
  }
}

extension Project? {
  fileprivate var json: JSONText { map { .raw($0.json) } ?? .null }
}
