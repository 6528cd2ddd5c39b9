/// Follows one value byte by byte, only as closely as it takes to know where the value ends.
struct JSONNesting {
  private(set) var depth = 0
  /// The greatest depth so far.
  private(set) var deepest = 0
  private var inString = false
  private var escaped = false
  /// Whether the byte that ended the value is its last; a number ends before the byte that ends it.
  private(set) var includesLast = true

  /// - Returns: whether the value has ended.
  @inline(__always)
  mutating func step(_ byte: UInt8) -> Bool {
    if inString {
      if escaped {
        escaped = false
      } else if byte == UInt8(ascii: "\\") {
        escaped = true
      } else if byte == UInt8(ascii: "\"") {
        inString = false
        return depth == 0
      }
      return false
    }
    switch byte {
    case UInt8(ascii: "\""): inString = true
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      depth += 1
      deepest = max(deepest, depth)
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      if depth <= 1 {
        includesLast = depth == 1
        return true
      }
      depth -= 1
    case UInt8(ascii: ",") where depth == 0, _ where depth == 0 && isJSONSpace(byte):
      includesLast = false
      return true
    default: break
    }
    return false
  }
}

/// The text around a list, and the path of member names that leads to the current value.
struct JSONEnvelope {
  private(set) var bytes: [UInt8] = []
  private(set) var depth = 0
  /// The name last read at each depth of objects; nil inside an array.
  private var names: [String?] = []
  private var stringStart: Int?
  private var escaped = false
  private var lastString: Range<Int>?

  /// Whether a value that began now would be the one at `path`.
  func isAt(_ path: [String]) -> Bool {
    names.count == path.count && stringStart == nil
      && zip(names, path).allSatisfy { name, wanted in
        name.map { $0.utf8.elementsEqual(wanted.utf8) } ?? false
      }
  }

  mutating func append(_ byte: UInt8) {
    bytes.append(byte)
    if let start = stringStart {
      if escaped {
        escaped = false
      } else if byte == UInt8(ascii: "\\") {
        escaped = true
      } else if byte == UInt8(ascii: "\"") {
        lastString = start..<bytes.count
        stringStart = nil
      }
      return
    }
    switch byte {
    case UInt8(ascii: "\""): stringStart = bytes.count - 1
    case UInt8(ascii: ":"): nameCurrentMember()
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      depth += 1
      names.append(nil)
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      depth -= 1
      names = names.dropLast()
    default: break
    }
  }

  private mutating func nameCurrentMember() {
    guard let range = lastString, !names.isEmpty else { return }
    names[names.count - 1] = try? JSONScanner(bytes).string(at: range)
  }
}
