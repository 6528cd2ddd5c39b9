/// One field in which two versions of a record differ.
public struct FieldDifference: Sendable, Equatable {
  /// A field's name as in JSON: `title`, or that of a further member.
  public var name: String
  public var local: Value?
  public var remote: Value?
  /// What both came from; nil where it had no such field, or is not known.
  public var base: Value?

  public enum Value: Sendable, Equatable {
    case text(String)
    /// A further member's value, as JSON.
    case json(String)
  }

  public init(name: String, local: Value?, remote: Value?, base: Value?) {
    self.name = name
    self.local = local
    self.remote = remote
    self.base = base
  }

  /// The fields in which both versions differ, by the rules of `RecordMerge`, in the order of the record.
  public static func between(
    local: Project, remote: Project, base: Project?
  ) -> [FieldDifference] {
    var differences: [FieldDifference] = []
    func add(_ name: String, _ value: (Project) -> String?, _ canonical: (String) -> String) {
      let (one, other) = (value(local), value(remote))
      let (mine, theirs) = (one.map(canonical), other.map(canonical))
      guard mine.map({ Array($0.utf8) }) != theirs.map({ Array($0.utf8) }) else { return }
      differences.append(
        FieldDifference(
          name: name, local: one.map(Value.text), remote: other.map(Value.text),
          base: base.flatMap(value).map(Value.text)))
    }
    add("title", { $0.title }, { $0 })
    add("body", { $0.body }, { $0 })
    add("state", { $0.state }, { $0 })
    add("dueAt", { $0.dueAt }, CanonicalContents.dueAt)
    if local.createdAt != nil, remote.createdAt != nil {
      add("createdAt", { $0.createdAt?.description }, { $0 })
    }
    return differences + members(local.extra, remote.extra, base?.extra)
  }

  private static func members(
    _ local: ExtraMembers, _ remote: ExtraMembers, _ base: ExtraMembers?
  ) -> [FieldDifference] {
    guard let mine = MemberList(local), let theirs = MemberList(remote),
      let was = MemberList(base ?? .none)
    else {
      let values = [local, remote, base ?? .none].map { Value.json($0.json) }
      return values[0] == values[1]
        ? []
        : [FieldDifference(name: "extra", local: values[0], remote: values[1], base: values[2])]
    }
    func value(_ name: [UInt8], _ members: MemberList) -> Value? {
      members[name].map { .json(String(decoding: $0.value, as: UTF8.self)) }
    }
    return (mine.names + theirs.names.filter { mine[$0] == nil }).compactMap { name in
      guard mine[name]?.canonical != theirs[name]?.canonical else { return nil }
      return FieldDifference(
        name: String(decoding: name, as: UTF8.self), local: value(name, mine),
        remote: value(name, theirs), base: value(name, was))
    }
  }
}
