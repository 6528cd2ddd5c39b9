import SyncKit

extension Mutant {
  /// Every one of them has to be found out within few seeds.
  package static let all: [Mutant] = [
    .rule("an edit loses to a delete") { decision, local, remote, base in
      guard base != nil, local == nil || remote == nil else { return decision }
      switch decision {
      case .append(.local): return .delete(from: .remote)
      case .append(.remote): return .delete(from: .local)
      default: return decision
      }
    },
    .rule("a tie goes to this side") { decision, local, remote, _ in
      guard case .conflict(.remote) = decision, local?.updatedAt == remote?.updatedAt else {
        return decision
      }
      return .conflict(winner: .local)
    },
    .rule("the older version wins a conflict") { decision, _, _, _ in
      switch decision {
      case .conflict(.local): return .conflict(winner: .remote)
      case .conflict(.remote): return .conflict(winner: .local)
      default: return decision
      }
    },
    .rule("what the base does not know is deleted") { decision, _, _, base in
      guard base == nil, decision == .append(to: .remote) else { return decision }
      return .delete(from: .local)
    },
    .remote("the base is written before the acknowledgement") { AcknowledgedEarly(base: $0) },
    .remote("a 412 is ignored") { Unconditional(base: $0) },
    .remote("ids are compared as characters") { CharacterIDs(base: $0) },
    .options("no guard") {
      $0.guards.allowEmpty = true
      $0.guards.forceDelete = true
    },
    .store(
      "no copy before a version is overwritten",
      """
      CREATE TRIGGER IF NOT EXISTS mutant AFTER INSERT ON syncd_history
        WHEN NEW.reason='overwritten' BEGIN
        DELETE FROM syncd_history WHERE version=NEW.version; END
      """),
    .store(
      "no copy of what loses a conflict",
      """
      CREATE TRIGGER IF NOT EXISTS mutant AFTER INSERT ON syncd_history
        WHEN NEW.reason='conflict' BEGIN
        DELETE FROM syncd_history WHERE version=NEW.version; END
      """),
    .store(
      "the end of a run settles what changed meanwhile",
      """
      CREATE TRIGGER IF NOT EXISTS mutant AFTER UPDATE OF last_run ON syncd_remote BEGIN
        DELETE FROM syncd_journal; END
      """),
    .store(
      "a change during a run is taken for the one that was sent",
      """
      CREATE TRIGGER IF NOT EXISTS mutant AFTER INSERT ON syncd_base BEGIN
        UPDATE syncd_base SET local_updated_at=coalesce((SELECT updated_at FROM projects
          WHERE id=NEW.id), local_updated_at) WHERE remote=NEW.remote AND id=NEW.id; END;
      CREATE TRIGGER IF NOT EXISTS mutant2 AFTER UPDATE OF remote_version ON syncd_base BEGIN
        UPDATE syncd_base SET local_updated_at=coalesce((SELECT updated_at FROM projects
          WHERE id=NEW.id), local_updated_at) WHERE remote=NEW.remote AND id=NEW.id; END
      """),
  ]

  /// Its seeds are far apart: it takes a crash between the server's answer and the base, and a deletion
  /// by another device in between.
  package static let undeleting = remote("a lost acknowledgement undoes a deletion") {
    Undeleting(base: $0)
  }

  package var testDescription: String { name }

  private static func rule(_ name: String, _ rule: @escaping Amendment.Rule) -> Mutant {
    var mutant = Mutant(name)
    mutant.amend = { options in
      var options = options
      options.amendment = Amendment(name, amend: rule)
      return options
    }
    return mutant
  }

  private static func options(
    _ name: String, _ change: @escaping @Sendable (inout SyncOptions) -> Void
  ) -> Mutant {
    var mutant = Mutant(name)
    mutant.amend = { options in
      var options = options
      change(&options)
      return options
    }
    return mutant
  }

  private static func remote(
    _ name: String, _ wrap: @escaping @Sendable (any RemoteStore) -> any RemoteStore
  ) -> Mutant {
    var mutant = Mutant(name)
    mutant.wrap = wrap
    return mutant
  }

  private static func store(_ name: String, _ sql: String) -> Mutant {
    var mutant = Mutant(name)
    mutant.sql = sql
    return mutant
  }
}
