/// Columns of text, aligned for a terminal or as Markdown.
struct Table {
  private var rows: [[String]]

  init(_ headings: [String]) { rows = [headings] }

  mutating func add(_ row: [String]) { rows.append(row) }

  var plain: String {
    rows.map { row in
      row.indices.map { pad(row[$0], $0) }.joined(separator: "  ").trimmedEnd
    }.joined(separator: "\n") + "\n"
  }

  var markdown: String {
    let rule = rows[0].indices.map { $0 < leftAligned ? ":--" : "--:" }
    return ([rows[0], rule] + rows.dropFirst())
      .map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
  }

  /// Columns of words; those after them are figures.
  var leftAligned = 1

  private func pad(_ cell: String, _ column: Int) -> String {
    let width = rows.map { $0[column].count }.max() ?? 0
    let space = String(repeating: " ", count: width - cell.count)
    return column < leftAligned ? cell + space : space + cell
  }
}

extension String {
  fileprivate var trimmedEnd: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }

  /// A number with so many decimals, and thousands set apart by a comma.
  init(_ number: Double, decimals: Int) {
    let scale = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
    let scaled = Int((number * scale).rounded())
    let (whole, part) = scaled.quotientAndRemainder(dividingBy: Int(scale))
    var digits = String(whole)
    var at = digits.count - 3
    while at > 0 {
      digits.insert(",", at: digits.index(digits.startIndex, offsetBy: at))
      at -= 3
    }
    guard decimals > 0 else {
      self = digits
      return
    }
    let text = String(part)
    self = digits + "." + String(repeating: "0", count: decimals - text.count) + text
  }
}
