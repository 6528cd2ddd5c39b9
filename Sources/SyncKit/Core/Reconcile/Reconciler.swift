/// Decides, for one id at a time, what makes the two sides agree.
///
/// A pure function of what the local store (L), the remote (R) and their last agreement (B) say.
/// "Changed" means changed since B; an id that B lacks has changed on neither side, and is new.
public struct Reconciler: Sendable, Equatable {
  public var direction: Direction
  public var deletions: DeletionPolicy
  public var conflicts: ConflictPolicy
  /// What is put in place of decisions, where a test wants to see wrong ones found out.
  package var amendment: Amendment?

  public init(
    direction: Direction = .push, deletions: DeletionPolicy = .propagate,
    conflicts: ConflictPolicy = .newest
  ) {
    self.direction = direction
    self.deletions = deletions
    self.conflicts = conflicts
  }

  /// - Parameters:
  ///   - contents: how the two contents compare, once `.compareContents` has asked for it.
  ///   - canMerge: whether the contents that were agreed before are known, without which there is no
  ///     merging.
  /// - Returns: exactly one decision; `.compareContents` only where `contents` is nil, or a stamp that
  ///   whoever read them knows. What is merged
  ///   is decided on once more, by what `RecordMerge` makes of it.
  public func decide(
    local: LocalEntry?, remote: RemoteEntry?, base: BaseEntry?, contents: ContentComparison? = nil,
    canMerge: Bool = false
  ) -> Decision {
    let decision = rule(
      local: local, remote: remote, base: base, contents: contents, canMerge: canMerge)
    return amendment?.amend(decision, local, remote, base) ?? decision
  }

  private func rule(
    local: LocalEntry?, remote: RemoteEntry?, base: BaseEntry?, contents: ContentComparison?,
    canMerge: Bool
  ) -> Decision {
    guard local != nil || remote != nil else { return .forget }
    switch direction {
    case .push:
      return mirror(
        source: local.map { Copy($0, base) }, target: remote.map { Copy($0, base) }, onto: .remote,
        isKnown: base != nil, contents: contents)
    case .pull:
      return mirror(
        source: remote.map { Copy($0, base) }, target: local.map { Copy($0, base) }, onto: .local,
        isKnown: base != nil, contents: contents)
    case .both:
      return merge(
        local: local.map { Copy($0, base) }, remote: remote.map { Copy($0, base) },
        isKnown: base != nil, contents: contents, canMerge: canMerge)
    }
  }

  /// The side whose version is the newer: the greater stamp, and where both are equal the greater
  /// hash, so that every device says the same.
  public static func newer(local: Timestamp, remote: Timestamp, greaterHash: Side) -> Side {
    local == remote ? greaterHash : local > remote ? .local : .remote
  }

  /// One side's copy of a record, reduced to what the rules look at.
  private struct Copy {
    /// Nil where only the contents tell it.
    var updatedAt: Timestamp?
    /// Whether it differs from what the base says; false where the base does not know the id.
    var changed: Bool

    init(_ entry: LocalEntry, _ base: BaseEntry?) {
      updatedAt = entry.updatedAt
      changed = base.map { $0.localUpdatedAt != entry.updatedAt } ?? false
    }

    init(_ entry: RemoteEntry, _ base: BaseEntry?) {
      updatedAt = entry.updatedAt
      changed = base.map { $0.remoteVersion != entry.version } ?? false
    }
  }

  // MARK: push and pull: the side `target` is made equal to the other

  private func mirror(
    source: Copy?, target: Copy?, onto side: Side, isKnown: Bool, contents: ContentComparison?
  ) -> Decision {
    guard let source else {
      let deletes = deletions == .propagate || (deletions == .known && isKnown)
      return deletes ? .delete(from: side) : .keep(on: side)
    }
    guard let target else { return .append(to: side) }

    if isKnown && !source.changed && !target.changed { return .unchanged }
    if isKnown && source.changed && !target.changed { return .update(side) }
    guard let stamp = source.updatedAt, let other = target.updatedAt else {
      return .compareContents
    }
    if stamp > other { return .update(side) }
    if stamp == other && !isKnown { return .adopt }

    // The target is newer, or both stamps are equal and the base says that something changed.
    switch contents {
    case nil: return .compareContents
    case .same: return .adopt
    case .different:
      let sourceWins = stamp == other && source.changed
      return sourceWins ? .update(side) : .leaveNewer(on: side)
    }
  }

  // MARK: both: two-way

  private func merge(
    local: Copy?, remote: Copy?, isKnown: Bool, contents: ContentComparison?, canMerge: Bool
  ) -> Decision {
    guard let remote else { return orphan(local, on: .local, isKnown: isKnown) }
    guard let local else { return orphan(remote, on: .remote, isKnown: isKnown) }

    if isKnown && local.changed != remote.changed {
      return .update(local.changed ? .remote : .local)
    }
    if isKnown && !local.changed { return .unchanged }

    switch contents {
    case nil: return .compareContents
    case .same: return .adopt
    case .different(let greater):
      guard let stamp = local.updatedAt, let other = remote.updatedAt else {
        return .compareContents
      }
      let newer = Self.newer(local: stamp, remote: other, greaterHash: greater)
      return .conflict(winner: winner(newer: newer, canMerge: isKnown && canMerge))
    }
  }

  /// A record that one side alone has: an edit beats a delete.
  private func orphan(_ copy: Copy?, on side: Side, isKnown: Bool) -> Decision {
    guard let copy, isKnown, !copy.changed else { return .append(to: side.other) }
    return deletions == .never ? .keep(on: side) : .delete(from: side)
  }

  private func winner(newer: Side, canMerge: Bool) -> ConflictWinner? {
    switch conflicts {
    case .local: .local
    case .remote: .remote
    case .manual: nil
    case .newest: ConflictWinner(newer)
    case .merge: canMerge ? .merged : ConflictWinner(newer)
    }
  }
}
