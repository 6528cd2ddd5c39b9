internal import CSQLite

/// `change STORE COUNT EDITS ROUND`: of the COUNT projects that `fill` made, edits so many, and adds
/// and deletes half as many each; another round takes others. One edit is an edit alone.
enum Change {
  static func run(_ words: [String]) throws {
    let numbers = words.dropFirst().compactMap { Int($0) }
    guard words.count == 4, numbers.count == 3, (0..<rounds).contains(numbers[2]) else {
      throw BenchError("usage: change STORE COUNT EDITS ROUND")
    }
    let (count, edits, round) = (numbers[0], numbers[1], numbers[2])
    let store = try Connection(words[0])
    try store.execute("BEGIN IMMEDIATE")
    let edit = try store.prepare("UPDATE projects SET title = title || '*' WHERE id = ?1")
    defer { sqlite3_finalize(edit) }
    // Of any 200 projects, only those from the 51st to the 99th are ever deleted.
    for n in edits == 1 ? [count - 1] : (0..<edits).map({ $0 * (count / edits) + round }) {
      edit.bind(Workload.id(n), at: 1)
      try store.run(edit)
    }
    if edits > 1 { try addAndDelete(store, count, edits / 2, round) }
    try store.execute("COMMIT")
  }

  private static func addAndDelete(
    _ store: Connection, _ count: Int, _ number: Int, _ round: Int
  ) throws {
    let delete = try store.prepare("DELETE FROM projects WHERE id = ?1")
    let add = try store.prepare("INSERT INTO projects(id, title, body) VALUES(?1, ?2, ?3)")
    defer { for statement in [delete, add] { sqlite3_finalize(statement) } }
    for n in 0..<number {
      delete.bind(Workload.id(n * (count / number) + 50 + round), at: 1)
      try store.run(delete)
      let added = count * (round + 2) + n
      add.bind(Workload.id(added), at: 1)
      add.bind(Workload.title(added), at: 2)
      add.bind(Workload.body(added), at: 3)
      try store.run(add)
    }
  }

  /// How many rounds there are.
  static let rounds = 49
}
