/// Gathers the lines of a response's head; those of interim responses (1xx) and trailers go.
struct CurlResponseHead {
  /// The most bytes that the head of a response may have.
  static let limit = 256 << 10

  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  private(set) var isComplete = false

  /// What a line did to the head.
  enum Progress {
    case more
    case complete(status: Int, headers: HTTPHeaders)
    case tooLong
    case malformed
  }

  mutating func reset() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    isComplete = false
  }

  mutating func append(_ line: UnsafeRawBufferPointer) -> Progress {
    if isComplete { return .more }
    guard bytes.count + line.count <= Self.limit else { return .tooLong }
    var end = line.count
    while end > 0, line[end - 1] == UInt8(ascii: "\r") || line[end - 1] == UInt8(ascii: "\n") {
      end -= 1
    }
    if end > 0 {
      bytes.append(contentsOf: line[..<end])
      ends.append(bytes.count)
      return .more
    }
    guard let status = parseStatus() else { return .malformed }
    if (100..<200).contains(status) {
      reset()
      return .more
    }
    isComplete = true
    return .complete(status: status, headers: parseFields())
  }

  /// `HTTP/1.1 200 OK`, `HTTP/2 200`.
  private func parseStatus() -> Int? {
    guard let end = ends.first, let space = bytes[..<end].firstIndex(of: UInt8(ascii: " ")),
      end >= space + 4
    else { return nil }
    var status = 0
    for byte in bytes[(space + 1)..<(space + 4)] {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      status = status * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return status
  }

  private func parseFields() -> HTTPHeaders {
    var headers = HTTPHeaders()
    var pending: (name: String, value: String)?
    bytes.withUnsafeBufferPointer { bytes in
      for index in 1..<max(1, ends.count) {
        let line = UnsafeBufferPointer(rebasing: bytes[ends[index - 1]..<ends[index]])
        if Self.isBlank(line[0]) {
          // A folded line (RFC 9112, 5.2).
          pending?.value += " " + Self.trimmed(line[...])
          continue
        }
        if let field = pending.take() { headers.add(field.name, field.value) }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
        pending = (
          String(decoding: line[..<colon], as: UTF8.self), Self.trimmed(line[(colon + 1)...])
        )
      }
    }
    if let field = pending { headers.add(field.name, field.value) }
    return headers
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func trimmed(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    var bytes = bytes
    while let byte = bytes.first, isBlank(byte) { bytes.removeFirst() }
    while let byte = bytes.last, isBlank(byte) { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}
