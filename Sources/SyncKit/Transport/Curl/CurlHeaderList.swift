internal import CCurl

/// The header fields of a request in libcurl's form, in one piece of memory that is used again for
/// the next request. libcurl only reads the list, and frees none of it.
struct CurlHeaderList: ~Copyable {
  private var memory: UnsafeMutableRawPointer
  private var capacity = 2048

  init() {
    memory = .allocate(byteCount: capacity, alignment: MemoryLayout<curl_slist>.alignment)
  }

  deinit { memory.deallocate() }

  /// Replaces the list.
  ///
  /// - Parameter extra: lines of libcurl's form; `Name:` keeps it from adding that field.
  /// - Returns: nil when a field holds bytes that no field has (RFC 9110, 5.5).
  mutating func fill(
    _ headers: HTTPHeaders, and extra: [StaticString]
  ) -> UnsafeMutablePointer<curl_slist>? {
    let count = headers.fields.count + extra.count
    var needed = count * MemoryLayout<curl_slist>.stride
    for (name, value) in headers.fields {
      guard Self.isToken(name), Self.isFieldValue(value) else { return nil }
      needed += name.utf8.count + value.utf8.count + 3
    }
    for text in extra { needed += text.utf8CodeUnitCount + 1 }
    reserve(needed)

    let nodes = memory.assumingMemoryBound(to: curl_slist.self)
    var cursor = (memory + count * MemoryLayout<curl_slist>.stride)
      .assumingMemoryBound(to: UInt8.self)
    var index = 0
    func append(_ node: UnsafeMutablePointer<UInt8>) {
      node.withMemoryRebound(to: CChar.self, capacity: 1) { text in
        let next = index + 1 < count ? nodes + index + 1 : nil
        (nodes + index).initialize(to: curl_slist(data: text, next: next))
      }
      index += 1
    }
    for (name, value) in headers.fields {
      append(cursor)
      cursor = Self.write(name, to: cursor)
      // libcurl's own way of asking for a field that is there and empty.
      cursor = Self.write(value.isEmpty ? ";" : ": ", to: cursor)
      cursor = Self.write(value, to: cursor)
      cursor.pointee = 0
      cursor += 1
    }
    for text in extra {
      append(cursor)
      cursor.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
      cursor += text.utf8CodeUnitCount
      cursor.pointee = 0
      cursor += 1
    }
    return nodes
  }

  private mutating func reserve(_ needed: Int) {
    guard needed > capacity else { return }
    memory.deallocate()
    capacity = needed * 2
    memory = .allocate(byteCount: capacity, alignment: MemoryLayout<curl_slist>.alignment)
  }

  private static func write(
    _ text: String, to cursor: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    var text = text
    return text.withUTF8 { bytes in
      if let start = bytes.baseAddress { cursor.update(from: start, count: bytes.count) }
      return cursor + bytes.count
    }
  }

  private static func isToken(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A && $0 != 0x3B }
  }

  private static func isFieldValue(_ value: String) -> Bool {
    value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
  }
}
