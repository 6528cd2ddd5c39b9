/// The identity of a project: 1 to 255 bytes of UTF-8 without control characters.
///
/// Ids are compared, ordered and hashed as bytes. `String ==` is canonical equivalence, for which
/// "é" (U+00E9) and "e" + U+0301 are one; as ids they are two projects.
public struct ProjectID: Sendable, CustomStringConvertible {
  /// The id's text, exactly as it was given.
  public let string: String

  /// - Throws: `InvalidProjectID` with the reason.
  public init(_ string: String) throws(InvalidProjectID) {
    if let reason = InvalidProjectID.Reason(refusing: string) {
      throw InvalidProjectID(text: string, reason: reason)
    }
    self.string = string
  }

  /// Wraps text that is known to satisfy the rules, such as a row of our own store.
  package init(trusted string: String) {
    self.string = string
  }

  public var description: String { string }

  /// The greatest length of an id, in bytes of UTF-8.
  public static let maximumBytes = 255
}

extension ProjectID: Hashable {
  public static func == (lhs: ProjectID, rhs: ProjectID) -> Bool {
    guard lhs.string.utf8.count == rhs.string.utf8.count else { return false }
    return lhs.string.utf8.bytes(with: rhs.string.utf8) { $0.elementsEqual($1) }
      ?? lhs.string.utf8.elementsEqual(rhs.string.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    let whole: Void? = string.utf8.withContiguousStorageIfAvailable { bytes in
      hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    }
    if whole == nil { for byte in string.utf8 { hasher.combine(byte) } }
  }
}

extension ProjectID: Comparable {
  /// Byte order, the order of SQLite's BINARY collation and of keyset pages.
  public static func < (lhs: ProjectID, rhs: ProjectID) -> Bool {
    lhs.string.utf8.bytes(with: rhs.string.utf8) { $0.lexicographicallyPrecedes($1) }
      ?? lhs.string.utf8.lexicographicallyPrecedes(rhs.string.utf8)
  }
}

extension String.UTF8View {
  /// Looks at the bytes of two texts where they stand; nil where one has no plain storage.
  fileprivate func bytes(
    with other: String.UTF8View,
    _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Bool
  ) -> Bool? {
    let result = withContiguousStorageIfAvailable { mine in
      other.withContiguousStorageIfAvailable { theirs in body(mine, theirs) }
    }
    return result ?? nil
  }
}

/// A text that cannot be a project's id, and why.
public struct InvalidProjectID: Error, Equatable, CustomStringConvertible {
  public enum Reason: Sendable, Equatable {
    case empty
    case tooLong(bytes: Int)
    case controlCharacter(scalar: UInt32)
  }

  public let text: String
  public let reason: Reason

  public var description: String {
    switch reason {
    case .empty: "an id cannot be empty"
    case .tooLong(let bytes):
      "an id is at most \(ProjectID.maximumBytes) bytes; this one is \(bytes)"
    case .controlCharacter(let scalar):
      "an id cannot hold control characters; this one holds U+\(hexadecimal(scalar))"
    }
  }

  private func hexadecimal(_ scalar: UInt32) -> String {
    let digits = String(scalar, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

extension InvalidProjectID.Reason {
  /// The reason to refuse `text` as an id, or nil when it can be one.
  fileprivate init?(refusing text: String) {
    let bytes = text.utf8.count
    if bytes == 0 {
      self = .empty
    } else if bytes > ProjectID.maximumBytes {
      self = .tooLong(bytes: bytes)
    } else if let scalar = text.unicodeScalars.first(where: Self.isControl) {
      self = .controlCharacter(scalar: scalar.value)
    } else {
      return nil
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
  }
}
