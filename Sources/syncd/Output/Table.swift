/// Rows of text in aligned columns.
struct Table: Sendable {
  var header: [String]
  private(set) var rows: [[String]] = []

  init(_ header: [String]) { self.header = header }

  mutating func add(_ row: [String]) { rows.append(row.map(\.printable)) }

  /// The lines of the table. The last column is not padded, and is cut where it would pass `width`.
  func lines(width: Int? = nil, header style: (String) -> String = { $0 }) -> [String] {
    let all = [header] + rows
    let widths = header.indices.map { column in all.map { $0[column].columns }.max() ?? 0 }
    return all.enumerated().map { index, row in
      var line = ""
      for (column, cell) in row.dropLast().enumerated() {
        line += cell.padded(to: widths[column]) + "  "
      }
      let last = row.last ?? ""
      line += width.map { last.cut(to: max(8, $0 - line.columns)) } ?? last
      while line.hasSuffix(" ") { line.removeLast() }
      return index == 0 ? style(line) : line
    }
  }
}
