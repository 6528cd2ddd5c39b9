/// What differs between two texts, line by line, with a little of what surrounds it.
struct LineDiff {
  enum Line: Equatable {
    case same(String)
    case gone(String)
    case new(String)
    /// So many equal lines are not shown.
    case skipped(Int)
  }

  let lines: [Line]

  /// Equal lines shown before and after a change.
  private static let context = 2
  /// Past so many lines between the first change and the last, all of them are shown as replaced:
  /// the least difference would take time in proportion to their square.
  private static let limit = 1000

  init(from old: String, to new: String) {
    let before = Self.split(old)
    let after = Self.split(new)
    var start = 0
    while start < min(before.count, after.count), Self.isEqual(before[start], after[start]) {
      start += 1
    }
    var end = 0
    while end < min(before.count, after.count) - start,
      Self.isEqual(before[before.count - 1 - end], after[after.count - 1 - end])
    {
      end += 1
    }
    let middle = Self.changes(
      Array(before[start..<before.count - end]), Array(after[start..<after.count - end]))
    let all =
      before[..<start].map(Line.same) + middle + before[(before.count - end)...].map(Line.same)
    lines = Self.shortened(all)
  }

  private static func split(_ text: String) -> [String] {
    text.isEmpty
      ? [] : text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private static func isEqual(_ one: String, _ other: String) -> Bool {
    one.utf8.elementsEqual(other.utf8)
  }

  private static func changes(_ before: [String], _ after: [String]) -> [Line] {
    guard before.count + after.count <= limit else {
      return before.map(Line.gone) + after.map(Line.new)
    }
    let difference = after.difference(from: before, by: isEqual)
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in difference {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    var lines: [Line] = []
    var (old, new) = (0, 0)
    while old < before.count || new < after.count {
      if removed.contains(old) {
        lines.append(.gone(before[old]))
        old += 1
      } else if inserted.contains(new) {
        lines.append(.new(after[new]))
        new += 1
      } else {
        lines.append(.same(before[old]))
        (old, new) = (old + 1, new + 1)
      }
    }
    return lines
  }

  /// Leaves out equal lines that are far from any change.
  private static func shortened(_ lines: [Line]) -> [Line] {
    var isShown = [Bool](repeating: false, count: lines.count)
    for (index, line) in lines.enumerated() {
      if case .same = line { continue }
      for near in max(0, index - context)...min(lines.count - 1, index + context) {
        isShown[near] = true
      }
    }
    var shown: [Line] = []
    var skipped = 0
    for (line, isShown) in zip(lines, isShown) {
      if !isShown {
        skipped += 1
        continue
      }
      if skipped > 0 { shown.append(.skipped(skipped)) }
      skipped = 0
      shown.append(line)
    }
    return skipped > 0 ? shown + [.skipped(skipped)] : shown
  }
}
