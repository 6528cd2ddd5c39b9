/// One message of netlink, RFC 3549, section 2.2: a header of 16 bytes in the machine's byte order,
/// then what its type says.
struct NetlinkMessage {
  var type: UInt16
  var flags: UInt16
  var sequence: UInt32
  var payload: ArraySlice<UInt8>

  enum Kind {
    static let error: UInt16 = 2
    static let done: UInt16 = 3
    static let overrun: UInt16 = 4
    static let newLink: UInt16 = 16
    static let deleteLink: UInt16 = 17
    static let getLink: UInt16 = 18
    static let newAddress: UInt16 = 20
    static let deleteAddress: UInt16 = 21
    static let getAddress: UInt16 = 22
    static let newRoute: UInt16 = 24
    static let deleteRoute: UInt16 = 25
    static let getRoute: UInt16 = 26
  }

  enum Flag {
    static let request: UInt16 = 0x1
    /// A part of an answer; what the kernel tells unasked comes without.
    static let multi: UInt16 = 0x2
    /// The table changed while it was being told.
    static let interrupted: UInt16 = 0x10
    static let dump: UInt16 = 0x300
  }

  static let headerBytes = 16

  /// The attributes that follow `count` bytes of the payload.
  func attributes(after count: Int) -> NetlinkAttributes {
    NetlinkAttributes(payload.dropFirst(count))
  }
}

/// Cuts what a socket received into messages. Nothing that it is fed makes it read past the end.
struct NetlinkParser: Sequence, IteratorProtocol {
  private var rest: ArraySlice<UInt8>
  /// Whether what was left over at the end was no message.
  private(set) var isDamaged = false

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func next() -> NetlinkMessage? {
    guard !rest.isEmpty else { return nil }
    guard let length = rest.integer(at: 0, as: UInt32.self).map(Int.init),
      length >= NetlinkMessage.headerBytes, length <= rest.count,
      let type = rest.integer(at: 4, as: UInt16.self),
      let flags = rest.integer(at: 6, as: UInt16.self),
      let sequence = rest.integer(at: 8, as: UInt32.self)
    else {
      isDamaged = true
      rest = []
      return nil
    }
    let payload = rest.prefix(length).dropFirst(NetlinkMessage.headerBytes)
    rest = rest.dropFirst(aligned(length))
    return NetlinkMessage(type: type, flags: flags, sequence: sequence, payload: payload)
  }
}

/// The attributes of a message: a length, a type, a value. What follows one whose length cannot be
/// is not read.
struct NetlinkAttributes: Sequence, IteratorProtocol {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func next() -> (type: UInt16, value: ArraySlice<UInt8>)? {
    guard let length = rest.integer(at: 0, as: UInt16.self).map(Int.init), length >= 4,
      length <= rest.count, let type = rest.integer(at: 2, as: UInt16.self)
    else { return nil }
    let value = rest.prefix(length).dropFirst(4)
    rest = rest.dropFirst(aligned(length))
    // The two highest bits say how the value is to be read, which is known here.
    return (type & 0x3FFF, value)
  }
}

private func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
