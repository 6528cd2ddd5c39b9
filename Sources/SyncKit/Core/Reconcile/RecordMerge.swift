/// Two versions of a record, merged field by field against the version that both come from.
///
/// What one side alone changed is as that side has it; what both changed to the same is that; what
/// both changed apart is as the newer side has it, and is a clash. Fields are `title`, `body`,
/// `state`, `dueAt`, `createdAt`, and each further member. "The same" is that of
/// `CanonicalContents`: only the spelling may differ, and then the newer side's is taken.
///
/// The sides have no rank: exchanged, they come to the same contents.
public struct RecordMerge: Sendable, Equatable {
  /// The merged contents, under the greater of the two stamps.
  public let project: Project
  /// The names of the fields that both sides changed apart, in the order of the record.
  public let clashes: [String]
  /// The side whose value was taken where both changed one field apart.
  public let newer: Side
  /// What makes both sides hold the merged contents. Where one side holds them already the other is
  /// updated, and it is a conflict only if a field clashed.
  public let decision: Decision

  /// - Parameter newer: the side that decides where both changed one field apart.
  public init(base: Project, local: Project, remote: Project, newer: Side) {
    self.newer = newer
    let (first, second) = newer == .local ? (local, remote) : (remote, local)
    var fields = FieldMerge()
    var merged = first
    merged.updatedAt = max(local.updatedAt, remote.updatedAt)
    merged.title = fields.text("title", base.title, first.title, second.title)
    merged.body = fields.text("body", base.body, first.body, second.body)
    merged.state = fields.text("state", base.state, first.state, second.state)
    merged.dueAt = fields.merge("dueAt", base.dueAt, first.dueAt, second.dueAt) {
      Array(CanonicalContents.dueAt($0).utf8)
    }
    // A side without `createdAt` keeps none, and says nothing of the other's.
    if let one = first.createdAt, let other = second.createdAt {
      merged.createdAt = fields.merge("createdAt", base.createdAt, one, other) {
        Array($0.description.utf8)
      }
    } else {
      merged.createdAt = first.createdAt ?? second.createdAt
    }
    merged.extra = fields.members(base.extra, first.extra, second.extra)
    project = merged
    clashes = fields.clashes
    let isClean = clashes.isEmpty
    decision =
      if merged.hasContents(of: remote) {
        isClean ? .update(.local) : .conflict(winner: .remote)
      } else if merged.hasContents(of: local) {
        isClean ? .update(.remote) : .conflict(winner: .local)
      } else {
        .conflict(winner: .merged)
      }
  }
}

extension Project {
  /// Whether the contents are the same; `createdAt` counts only if both have it.
  package func hasContents(of other: Project) -> Bool {
    let omits = createdAt == nil || other.createdAt == nil
    if (omits || createdAt == other.createdAt) && isSpelled(as: other) { return true }
    return CanonicalContents.bytes(of: self, omitsCreatedAt: omits)
      == CanonicalContents.bytes(of: other, omitsCreatedAt: omits)
  }

  /// Whether the fields are the same byte for byte, `createdAt` aside: as a rule they are, and need no
  /// canonical form.
  private func isSpelled(as other: Project) -> Bool {
    func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
    let isDueSame =
      switch (dueAt, other.dueAt) {
      case (nil, nil): true
      case (let one?, let other?): isSame(one, other)
      default: false
      }
    return isDueSame && isSame(title, other.title) && isSame(body, other.body)
      && isSame(state, other.state) && isSame(extra.json, other.extra.json)
  }
}

/// Merges one field after another. `first` is the side that decides where both changed apart.
private struct FieldMerge {
  var clashes: [String] = []

  mutating func text(_ name: String, _ base: String, _ first: String, _ second: String) -> String {
    merge(name, base, first, second) { Array($0.utf8) } ?? first
  }

  /// - Parameter canonical: the bytes by which two values are the same.
  mutating func merge<Value>(
    _ name: String, _ base: Value?, _ first: Value?, _ second: Value?,
    canonical: (Value) -> [UInt8]
  ) -> Value? {
    let (was, one, other) = (base.map(canonical), first.map(canonical), second.map(canonical))
    if one == other || other == was { return first }
    if one == was { return second }
    clashes.append(name)
    return first
  }

  /// Members keep the order of the first side; those of the second follow.
  mutating func members(
    _ base: ExtraMembers, _ first: ExtraMembers, _ second: ExtraMembers
  ) -> ExtraMembers {
    guard let was = MemberList(base), let one = MemberList(first), let other = MemberList(second)
    else {
      // A name that comes twice has no value of its own: the members are one field.
      return merge("extra", base, first, second) { Array($0.json.utf8) } ?? first
    }
    var texts: [[UInt8]] = []
    for name in one.names + other.names.filter({ one[$0] == nil }) {
      let value = merge(
        String(decoding: name, as: UTF8.self), was[name], one[name], other[name]
      ) { $0.canonical }
      if let value { texts.append(value.text) }
    }
    guard !texts.isEmpty else { return .none }
    let json =
      [UInt8(ascii: "{")] + texts.joined(separator: [UInt8(ascii: ",")]) + [
        UInt8(ascii: "}")
      ]
    return ExtraMembers(trusted: String(decoding: json, as: UTF8.self))
  }
}
