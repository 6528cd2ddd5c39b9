import SyncKit

extension FirestoreModel {
  /// The field that a path of one name leads to.
  static func field(at path: String) -> String? {
    if path.utf8.allSatisfy({
      $0 == UInt8(ascii: "_") || (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20)
    }) {
      return path.first?.isNumber == false ? path : nil
    }
    guard path.utf8.count > 2, path.first == "`", path.last == "`" else { return nil }
    return String(path.dropFirst().dropLast())
  }

  static func typed(_ value: [UInt8]) throws(Failure) -> String {
    let reader = JSONScanner(value)
    if let time = reader.text(at: ["timestampValue"]) {
      guard let stamp = Timestamp(rfc3339: time),
        (-62_135_596_800_000_000...253_402_300_799_999_999).contains(stamp.microseconds)
      else {
        throw Failure(code: 3, message: "Illegal timestamp format")
      }
      return "{\"timestampValue\":\"\(shortest(stamp))\"}"
    }
    let text = String(decoding: value, as: UTF8.self)
    let isHeld =
      reader.text(at: ["stringValue"]) != nil || text == "{\"nullValue\":null}"
      || reader.text(at: ["integerValue"]).map { Int64($0) != nil } ?? false
    guard isHeld else { throw Failure(code: 3, message: "not a value") }
    return text
  }

  /// With no fraction, or 3 or 6 digits of one.
  static func shortest(_ stamp: Timestamp) -> String {
    let text = "\(stamp)"
    if text.hasSuffix(".000000Z") { return text.dropLast(8) + "Z" }
    return text.hasSuffix("000Z") ? text.dropLast(4) + "Z" : text
  }
}
