/// Server-sent events as text (WHATWG HTML, 9.2).
package enum EventText {
  /// A comment that says nothing: that the connection is alive.
  package static let heartbeat = comment("")

  /// One event. The id and the name hold no line breaks.
  package static func event(_ name: String, id: String? = nil, data: String) -> [UInt8] {
    var text = ""
    if let id { text += "id: \(id)\n" }
    text += "event: \(name)\n"
    for line in data.utf8.split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == 0x0A || $0 == 0x0D })
    {
      text += "data: \(Substring(line))\n"
    }
    return Array((text + "\n").utf8)
  }

  package static func comment(_ text: String) -> [UInt8] { Array(": \(text)\n\n".utf8) }

  /// How long a client should wait before it comes back after the connection was lost.
  package static func retry(milliseconds: Int) -> [UInt8] {
    Array("retry: \(milliseconds)\n\n".utf8)
  }
}
