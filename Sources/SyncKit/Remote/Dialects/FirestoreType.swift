/// The type that a field of a record has in a document of Firestore.
///
/// A value of another type is never taken over: it would be written back as one of this type, and
/// whoever else reads the document would find it changed.
enum FirestoreType: Sendable {
  /// `stringValue`.
  case text
  /// `timestampValue`, whose unit is the microsecond.
  case moment
  /// `integerValue`: 64 bits, as a string.
  case number
  /// `timestampValue` for a text that Firestore would write in the same letters, and `stringValue` for
  /// any other.
  case date

  init(_ form: RecordFields.StampForm) {
    self = form == .rfc3339 ? .moment : .number
  }

  // MARK: Reading

  /// The JSON of a record's field that a typed value stands for.
  ///
  /// - Throws: `UnholdableRecord` where it is not of this type, or would not come back as it is.
  func plain(_ typed: [UInt8]) throws(UnholdableRecord) -> [UInt8] {
    var members: [(name: String, value: [UInt8])] = []
    let reader = JSONScanner(typed)
    var scanner = reader
    do {
      try scanner.scanObject { (key, value) throws(JSONError) in
        members.append((try reader.string(at: key), Array(reader.bytes[value])))
      }
    } catch {
      throw UnholdableRecord("no typed value: \(error.description)")
    }
    guard members.count == 1, let (name, value) = members.first else {
      throw UnholdableRecord("no typed value: it has \(members.count) types")
    }
    let text = reader.text(at: [name])
    switch (name, self) {
    case ("nullValue", _): return Array("null".utf8)
    case ("stringValue", .text): return value
    case ("stringValue", .date):
      guard let text, !Self.isWritten(text) else {
        throw UnholdableRecord("a string that would come back as a timestamp")
      }
      return value
    case ("timestampValue", .date):
      guard let text, Self.isWritten(text) else {
        throw UnholdableRecord("a timestamp that would not come back as it is")
      }
      return value
    case ("timestampValue", .moment):
      guard let text, !Self.isFine(text) else {
        throw UnholdableRecord("a timestamp that is finer than a microsecond")
      }
      return value
    case ("integerValue", .number):
      guard let number = text.flatMap({ Int64($0) }) else {
        throw UnholdableRecord("no integer of 64 bits")
      }
      return Array("\(number)".utf8)
    default: throw UnholdableRecord("a \(name), where \(expected) should be")
    }
  }

  private var expected: String {
    switch self {
    case .text: "a stringValue"
    case .moment: "a timestampValue"
    case .number: "an integerValue"
    case .date: "a timestampValue or a stringValue"
    }
  }

  // MARK: Writing

  /// Appends the typed value for the JSON of a record's field: a string, an integer or null.
  func append(_ value: [UInt8], to body: inout [UInt8]) {
    guard value.first != UInt8(ascii: "n") else { return body.append(json: "{\"nullValue\":null}") }
    switch self {
    case .text: body.append(json: "{\"stringValue\":")
    case .moment: body.append(json: "{\"timestampValue\":")
    case .number: body.append(json: "{\"integerValue\":\"")
    case .date:
      let isWritten = (try? JSONScanner(value).string(at: 0..<value.count)).map(Self.isWritten)
      body.append(json: isWritten == true ? "{\"timestampValue\":" : "{\"stringValue\":")
    }
    body.append(contentsOf: value)
    body.append(json: self == .number ? "\"}" : "}")
  }

  // MARK: Moments

  /// The years 1 to 9999.
  static func holds(_ stamp: Timestamp) -> Bool {
    (-62_135_596_800_000_000...253_402_300_799_999_999).contains(stamp.microseconds)
  }

  /// A moment as Firestore writes it: UTC, and 0, 3 or 6 digits of a fraction, as few as will do.
  static func written(_ stamp: Timestamp) -> String {
    let text = "\(stamp)"
    if text.hasSuffix(".000000Z") { return text.dropLast(8) + "Z" }
    return text.hasSuffix("000Z") ? text.dropLast(4) + "Z" : text
  }

  /// Whether a text is a moment in those very letters.
  static func isWritten(_ text: String) -> Bool {
    guard let stamp = Timestamp(rfc3339: text), holds(stamp) else { return false }
    return written(stamp).utf8.elementsEqual(text.utf8)
  }

  /// Whether a moment has more than microseconds.
  private static func isFine(_ text: String) -> Bool {
    let fraction = text.utf8.drop { $0 != UInt8(ascii: ".") }.dropFirst()
    return fraction.dropFirst(6).prefix { (0x30...0x39).contains($0) }.contains { $0 != 0x30 }
  }
}
