import Testing

@testable import SyncKit

/// What a kernel once said; see the head of `Fixtures/netlink.txt`.
struct NetlinkFixture {
  private var sections: [String: [[UInt8]]] = [:]

  init() throws {
    let folder = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let bytes = try #require(FileSystem.read("/\(folder)/Fixtures/netlink.txt"))
    var name = ""
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("= ") {
        name = String(line.dropFirst(2))
      } else if !line.hasPrefix("#") {
        sections[name, default: []].append(Self.bytes(line))
      }
    }
  }

  subscript(_ section: String) -> [[UInt8]] { sections[section] ?? [] }

  /// The answers to the three questions, in order.
  var answers: [[[UInt8]]] { [self["links"], self["addresses"], self["routes"]] }

  private static func bytes(_ hex: Substring) -> [UInt8] {
    let digits = Array(hex.utf8)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
      UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16)
    }
  }
}

/// Messages as a kernel would write them.
enum Netlink {
  static func message(
    _ type: UInt16, flags: UInt16 = 0, sequence: UInt32 = 0, _ payload: [UInt8]
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(UInt32(16 + payload.count))
    bytes.append(type)
    bytes.append(flags)
    bytes.append(sequence)
    bytes.append(UInt32(0))
    return bytes + payload + [UInt8](repeating: 0, count: (4 - payload.count % 4) % 4)
  }

  /// A link that is switched on and running, or is not.
  static func link(
    _ index: Int32, isUp: Bool, changes: UInt32 = 1, flags: UInt16 = 0, sequence: UInt32 = 0
  ) -> [UInt8] {
    var payload: [UInt8] = [0, 0, 1, 0]
    payload.append(index)
    payload.append(UInt32(isUp ? 0x1_1043 : 0x1003))
    payload.append(UInt32(0))
    payload.append(UInt16(8))
    payload.append(UInt16(35))
    payload.append(changes)
    return message(16, flags: flags, sequence: sequence, payload)
  }

  static func address(
    _ bytes: [UInt8], link: Int32, scope: UInt8 = 0, addressFlags: UInt8 = 0, isGone: Bool = false,
    flags: UInt16 = 0, sequence: UInt32 = 0
  ) -> [UInt8] {
    var payload: [UInt8] = [bytes.count == 4 ? 2 : 10, 24, addressFlags, scope]
    payload.append(link)
    payload.append(UInt16(4 + bytes.count))
    payload.append(UInt16(1))
    return message(isGone ? 21 : 20, flags: flags, sequence: sequence, payload + bytes)
  }

  static func route(
    link: Int32, gateway: [UInt8], prefix: UInt8 = 0, flags: UInt16 = 0, sequence: UInt32 = 0
  ) -> [UInt8] {
    var payload: [UInt8] = [2, prefix, 0, 0, 254, 3, 0, 1, 0, 0, 0, 0]
    payload.append(UInt16(8))
    payload.append(UInt16(5))
    payload += gateway
    payload.append(UInt16(8))
    payload.append(UInt16(4))
    payload.append(link)
    return message(24, flags: flags, sequence: sequence, payload)
  }

  static func done(_ sequence: UInt32, flags: UInt16 = 2) -> [UInt8] {
    message(3, flags: flags, sequence: sequence, [0, 0, 0, 0])
  }

  static func error(_ sequence: UInt32, code: Int32) -> [UInt8] {
    var payload: [UInt8] = []
    payload.append(code)
    return message(2, sequence: sequence, payload)
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value) { append(contentsOf: $0) }
  }
}
