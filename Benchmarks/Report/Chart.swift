#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Lines over two logarithmic axes, as SVG.
struct Chart {
  struct Line {
    var name: String
    /// In the order of `x`; both above zero.
    var points: [(x: Double, y: Double)]
    /// Whether it is what the chart is about; others are drawn thinner.
    var isMain = false
  }

  var title: String
  /// What the horizontal axis counts.
  var axis: String
  var lines: [Line]

  private static let (width, height) = (760.0, 440.0)
  private static let (left, right, top, bottom) = (70.0, 190.0, 46.0, 52.0)
  private static let colours = [
    "#0b5fa5", "#6b6b6b", "#b3541e", "#2e7d32", "#8e24aa", "#00838f", "#c2185b", "#7a6a00",
    "#5d4037",
  ]

  var svg: String {
    let points = lines.flatMap(\.points)
    let (xs, ys) = (decades(points.map(\.x)), decades(points.map(\.y)))
    func x(_ value: Double) -> Double {
      Self.left + (log10(value) - Double(xs.lowerBound)) / Double(xs.upperBound - xs.lowerBound)
        * (Self.width - Self.left - Self.right)
    }
    func y(_ value: Double) -> Double {
      Self.height - Self.bottom
        - (log10(value) - Double(ys.lowerBound)) / Double(ys.upperBound - ys.lowerBound)
        * (Self.height - Self.top - Self.bottom)
    }
    var parts = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(n(Self.width)) \(n(Self.height))\""
        + " font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">",
      "<title>\(title)</title>",
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>",
      text(Self.left, 24, title, "font-size=\"15\" font-weight=\"bold\""),
    ]
    let (floor, ceiling) = (Self.height - Self.bottom, Self.top)
    for decade in xs {
      let at = x(pow(10, Double(decade)))
      parts.append(rule(at, ceiling, at, floor))
      parts.append(
        text(at, floor + 18, String(pow(10, Double(decade)), decimals: 0), "text-anchor=\"middle\"")
      )
    }
    for decade in ys {
      let at = y(pow(10, Double(decade)))
      parts.append(rule(Self.left, at, Self.width - Self.right, at))
      parts.append(text(Self.left - 8, at + 4, seconds(decade), "text-anchor=\"end\""))
    }
    let middle = (Self.left + Self.width - Self.right) / 2
    parts.append(text(middle, Self.height - 14, axis, "text-anchor=\"middle\""))
    var labels: [(y: Double, line: Int)] = []
    for (index, line) in lines.enumerated() {
      guard let last = line.points.last else { continue }
      let colour = Self.colours[index % Self.colours.count]
      let path = line.points.map { "\(n(x($0.x))),\(n(y($0.y)))" }.joined(separator: " ")
      let width = line.isMain ? "2.6" : "1.4"
      parts.append(
        "<polyline points=\"\(path)\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"\(width)\"/>"
      )
      for point in line.points {
        parts.append(
          "<circle cx=\"\(n(x(point.x)))\" cy=\"\(n(y(point.y)))\" r=\"\(line.isMain ? 3.5 : 2.5)\""
            + " fill=\"\(colour)\"/>")
      }
      labels.append((y(last.y) + 4, index))
    }
    for (at, index) in spread(labels) {
      guard let last = lines[index].points.last else { continue }
      let colour = Self.colours[index % Self.colours.count]
      let start = x(last.x)
      let column = Self.width - Self.right + 14
      parts.append(
        "<line x1=\"\(n(start + 5))\" y1=\"\(n(y(last.y)))\" x2=\"\(n(column - 3))\""
          + " y2=\"\(n(at - 4))\" stroke=\"\(colour)\" stroke-width=\"0.6\" stroke-dasharray=\"2 3\"/>"
      )
      let weight = lines[index].isMain ? " font-weight=\"bold\"" : ""
      parts.append(text(column, at, lines[index].name, "fill=\"\(colour)\"\(weight)"))
    }
    return parts.joined(separator: "\n") + "\n</svg>\n"
  }

  /// The powers of ten that enclose the values, two at least.
  private func decades(_ values: [Double]) -> ClosedRange<Int> {
    let low = Int(log10(values.min() ?? 1).rounded(.down))
    return low...max(low + 1, Int(log10(values.max() ?? 1).rounded(.up)))
  }

  /// Moves labels apart so that none covers another.
  private func spread(_ labels: [(y: Double, line: Int)]) -> [(y: Double, line: Int)] {
    var labels = labels.sorted { $0.y < $1.y }
    for index in labels.indices.dropFirst() {
      labels[index].y = max(labels[index].y, labels[index - 1].y + 15)
    }
    let excess = (labels.last?.y ?? 0) - (Self.height - 10)
    if excess > 0 { for index in labels.indices { labels[index].y -= excess } }
    return labels
  }

  private func seconds(_ decade: Int) -> String {
    switch decade {
    case ..<(-3): "\(String(pow(10, Double(decade + 6)), decimals: 0)) µs"
    case -3..<0: "\(String(pow(10, Double(decade + 3)), decimals: 0)) ms"
    default: "\(String(pow(10, Double(decade)), decimals: 0)) s"
    }
  }

  private func rule(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
    "<line x1=\"\(n(x1))\" y1=\"\(n(y1))\" x2=\"\(n(x2))\" y2=\"\(n(y2))\" stroke=\"#ddd\"/>"
  }

  private func text(_ x: Double, _ y: Double, _ words: String, _ style: String) -> String {
    let escaped = words.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    return "<text x=\"\(n(x))\" y=\"\(n(y))\" \(style)>\(escaped)</text>"
  }

  private func n(_ number: Double) -> String {
    String(number, decimals: 1).replacing(",", with: "")
  }
}
