/// Why bytes are no message about ranges.
public enum RangeMessageError: Error, Sendable, Equatable, CustomStringConvertible {
  case truncated
  case version(UInt8)
  /// A number that is too large, or is written in more bytes than it takes.
  case number
  /// A flag that has no meaning.
  case flags
  /// A text that is no id, or shares more with the former one than that has.
  case id
  /// Ranges or items that are not in their order.
  case order
  case tooMany(Int)

  public var description: String {
    switch self {
    case .truncated: "the message ends too early"
    case .version(let version): "a message of version \(version) is not understood, but of 1"
    case .number: "a number is too large, or written in too many bytes"
    case .flags: "a flag has no meaning"
    case .id: "what stands for an id is none"
    case .order: "ranges or items are not in the order of their ids"
    case .tooMany(let most): "a message holds at most \(most) ranges or items"
    }
  }
}

/// The media type of messages about ranges.
package let rangesMediaType = "application/vnd.syncd.ranges"

/// The first byte of every message.
private let messageVersion: UInt8 = 1

/// Reads the bytes of a message; what it allocates is bounded by them and by the limits.
struct RangeMessageReader {
  private let bytes: [UInt8]
  private var position = 0
  /// The id or bound that was read last, of which the next one names what it shares.
  private var former: [UInt8] = []
  private var stamp: Int64 = 0

  init(_ bytes: [UInt8]) throws(RangeMessageError) {
    self.bytes = bytes
    let version = try byte()
    guard version == messageVersion else { throw .version(version) }
  }

  var isAtEnd: Bool { position == bytes.count }

  mutating func byte() throws(RangeMessageError) -> UInt8 {
    guard position < bytes.count else { throw .truncated }
    defer { position += 1 }
    return bytes[position]
  }

  /// Seven bits a byte, the lowest first; all but the last have the high bit set.
  mutating func number() throws(RangeMessageError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0, through: 63, by: 7) {
      let byte = try byte()
      let bits = UInt64(byte & 0x7F)
      guard shift < 63 || bits <= 1 else { throw .number }
      value |= bits << UInt64(shift)
      if byte < 0x80 {
        guard byte > 0 || shift == 0 else { throw .number }
        return value
      }
    }
    throw .number
  }

  /// A number that counts something.
  mutating func count(atMost most: Int) throws(RangeMessageError) -> Int {
    let number = try number()
    guard number <= UInt64(most) else { throw .tooMany(most) }
    return Int(number)
  }

  mutating func word() throws(RangeMessageError) -> UInt64 {
    let part = try slice(8)
    return part.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func fingerprint() throws(RangeMessageError) -> RangeFingerprint {
    RangeFingerprint(bits: try word())
  }

  private mutating func slice(_ count: Int) throws(RangeMessageError) -> ArraySlice<UInt8> {
    guard count <= bytes.count - position else { throw .truncated }
    defer { position += count }
    return bytes[position..<(position + count)]
  }

  private mutating func length() throws(RangeMessageError) -> Int {
    let number = try number()
    guard number <= UInt64(ProjectID.maximumBytes) else { throw .id }
    return Int(number)
  }

  /// A bound: what it shares with the former one, and so many bytes more.
  mutating func bound(_ more: Int) throws(RangeMessageError) -> ProjectID {
    let shared = try length()
    guard shared <= former.count else { throw .id }
    return try id(former.prefix(shared) + slice(more))
  }

  mutating func bound() throws(RangeMessageError) -> ProjectID {
    try bound(try length())
  }

  private mutating func id(_ text: ArraySlice<UInt8>) throws(RangeMessageError) -> ProjectID {
    guard text.count <= ProjectID.maximumBytes,
      let string = String(validating: text, as: UTF8.self), let id = try? ProjectID(string)
    else { throw .id }
    former = Array(text)
    return id
  }

  mutating func item() throws(RangeMessageError) -> RemoteDigest {
    let head = try number()
    let (shared, isPacked) = (head >> 1, head & 1 == 1)
    let id: ProjectID
    if isPacked {
      let packed = former.packedUUID ?? []
      guard shared <= UInt64(min(packed.count, 15)) else { throw .id }
      let bytes = Array(packed.prefix(Int(shared)) + (try slice(16 - Int(shared))))
      id = try self.id(ArraySlice(bytes.unpackedUUID))
    } else {
      guard shared <= UInt64(former.count) else { throw .id }
      id = try self.id(former.prefix(Int(shared)) + slice(try length()))
    }
    let version = try version()
    let step = try number()
    stamp &+= Int64(bitPattern: step >> 1) ^ -Int64(bitPattern: step & 1)
    return RemoteDigest(
      id: id, updatedAt: Timestamp(microseconds: stamp), version: version, etag: version.raw)
  }

  private mutating func version() throws(RangeMessageError) -> Version {
    let head = try number()
    if head & 1 == 1 { return Version(sequence: head >> 1, hash: try word()) }
    guard head >> 1 <= 1024 else { throw .number }
    guard let text = String(validating: try slice(Int(head >> 1)), as: UTF8.self) else {
      throw .id
    }
    return Version(text)
  }
}

/// Writes the bytes of a message.
struct RangeMessageWriter {
  private(set) var bytes = [messageVersion]
  private var former: [UInt8] = []
  private var stamp: Int64 = 0

  mutating func append(byte: UInt8) { bytes.append(byte) }

  mutating func append(number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  mutating func append(count: Int) { append(number: UInt64(count)) }

  mutating func append(_ fingerprint: RangeFingerprint) { append(word: fingerprint.bits) }

  private mutating func append(word: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
    }
  }

  /// - Parameter hasLength: whether the number of bytes that are not shared is written, too.
  mutating func append(bound: ProjectID, hasLength: Bool = true) {
    let text = Array(bound.string.utf8)
    let shared = former.shared(with: text)
    if hasLength { append(count: text.count - shared) }
    append(count: shared)
    bytes.append(contentsOf: text[shared...])
    former = text
  }

  mutating func append(item: RemoteDigest) {
    let text = Array(item.id.string.utf8)
    if let packed = text.packedUUID {
      let shared = min((former.packedUUID ?? []).shared(with: packed), 15)
      append(number: UInt64(shared) << 1 | 1)
      bytes.append(contentsOf: packed[shared...])
    } else {
      let shared = former.shared(with: text)
      append(number: UInt64(shared) << 1)
      append(count: text.count - shared)
      bytes.append(contentsOf: text[shared...])
    }
    former = text
    if let (sequence, hash) = item.version.sequenceAndHash {
      append(number: sequence << 1 | 1)
      append(word: hash)
    } else {
      let text = Array(item.version.raw.utf8)
      append(number: UInt64(text.count) << 1)
      bytes.append(contentsOf: text)
    }
    // Who compares ranges tells every stamp.
    let told = item.updatedAt?.microseconds ?? 0
    let step = told &- stamp
    append(number: UInt64(bitPattern: step << 1 ^ step >> 63))
    stamp = told
  }
}

extension ProjectID {
  /// Bytes of a bound that the former one does not begin with.
  func bytesUnshared(with former: ProjectID?) -> Int {
    let text = Array(string.utf8)
    return text.count - text.shared(with: (former?.string ?? "").utf8)
  }
}

extension [UInt8] {
  fileprivate func shared(with other: some Sequence<UInt8>) -> Int {
    var count = 0
    for (mine, theirs) in zip(self, other) {
      guard mine == theirs else { break }
      count += 1
    }
    return count
  }

  /// The 16 bytes of a UUID in small letters; nil for any other text.
  fileprivate var packedUUID: [UInt8]? {
    guard count == 36 else { return nil }
    var packed: [UInt8] = []
    packed.reserveCapacity(16)
    var high: UInt8?
    for (index, byte) in enumerated() {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      default: return nil
      }
      if let first = high {
        packed.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return packed
  }

  /// The text of the UUID with these 16 bytes.
  fileprivate var unpackedUUID: [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(36)
    for (index, byte) in enumerated() {
      if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
      text.append(hexDigit: byte >> 4)
      text.append(hexDigit: byte & 0xF)
    }
    return text
  }
}

extension Version {
  /// The entity tag `"SEQUENCE-HASH"`, as `syncd serve` makes it: the number of the change in decimal
  /// digits, the hash in 16 hexadecimal ones.
  package init(sequence: UInt64, hash: UInt64) {
    var text: [UInt8] = [UInt8(ascii: "\"")]
    text.reserveCapacity(40)
    text.append(contentsOf: String(sequence).utf8)
    text.append(UInt8(ascii: "-"))
    for shift in stride(from: 60, through: 0, by: -4) {
      text.append(hexDigit: UInt8(truncatingIfNeeded: hash >> UInt64(shift)) & 0xF)
    }
    text.append(UInt8(ascii: "\""))
    self.init(String(decoding: text, as: UTF8.self))
  }

  /// The numbers of such an entity tag; nil for any other text.
  fileprivate var sequenceAndHash: (sequence: UInt64, hash: UInt64)? {
    let parts = raw.utf8.dropFirst().dropLast().split(separator: UInt8(ascii: "-"))
    guard parts.count == 2, parts[1].count == 16,
      let sequence = UInt64(Substring(parts[0])), sequence <= UInt64(Int64.max),
      let hash = UInt64(Substring(parts[1]), radix: 16),
      Version(sequence: sequence, hash: hash).raw.utf8.elementsEqual(raw.utf8)
    else { return nil }
    return (sequence, hash)
  }
}
