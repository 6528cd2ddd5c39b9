internal import CMicrohttpd

/// What is asked of one of libmicrohttpd's connections.
struct MHDConnection {
  let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
  }

  /// The header fields, in the order they came.
  func fields() -> [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    withUnsafeMutablePointer(to: &fields) { pointer in
      _ = MHD_get_connection_values(
        self.pointer, .HEADER_KIND,
        { context, _, name, value in
          guard let context, let name else { return .YES }
          context.assumingMemoryBound(to: [(name: String, value: String)].self).pointee
            .append((String(cString: name), value.map { String(cString: $0) } ?? ""))
          return .YES
        }, pointer)
    }
    return fields
  }

  func queue(_ response: Response) -> MHD_Result {
    guard let made = make(response.body) else { return .NO }
    for field in response.headers { MHD_add_response_header(made, field.name, field.value) }
    let result = MHD_queue_response(pointer, UInt32(response.status), made)
    MHD_destroy_response(made)
    return result
  }

  private func make(_ body: Response.Body) -> OpaquePointer? {
    switch body {
    case .bytes(let bytes):
      return bytes.withUnsafeBytes { bytes in
        MHD_create_response_from_buffer(
          bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
      }
    case .stream(let next):
      let stream = Unmanaged.passRetained(ResponseStream(next)).toOpaque()
      return MHD_create_response_from_callback(
        UInt64.max, 64 << 10,
        { context, _, buffer, size in
          guard let context, let buffer else { return -2 }
          return Unmanaged<ResponseStream>.fromOpaque(context).takeUnretainedValue()
            .fill(UnsafeMutableRawBufferPointer(start: buffer, count: size))
        }, stream,
        { context in
          if let context { Unmanaged<ResponseStream>.fromOpaque(context).release() }
        })
    case .events(let follower):
      return MHD_create_response_from_callback(
        UInt64.max, 4 << 10,
        { context, _, buffer, size in
          guard let context, let buffer else { return -2 }
          return Unmanaged<FeedFollower>.fromOpaque(context).takeUnretainedValue()
            .fill(UnsafeMutableRawBufferPointer(start: buffer, count: size))
        }, Unmanaged.passRetained(follower).toOpaque(),
        { context in
          if let context { Unmanaged<FeedFollower>.fromOpaque(context).release() }
        })
    }
  }
}

/// A body that is made while it is sent. Used by one thread at a time.
final class ResponseStream {
  private let next: () throws -> [UInt8]?
  private var chunk: ArraySlice<UInt8> = []

  init(_ next: @escaping () throws -> [UInt8]?) {
    self.next = next
  }

  /// - Returns: the bytes put in; -1 at the end; -2 when the body cannot be finished, which cuts
  ///   the connection, so that the client does not take the part for the whole.
  func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    do {
      while chunk.isEmpty {
        guard let next = try next() else { return -1 }
        chunk = next[...]
      }
    } catch {
      return -2
    }
    let count = min(buffer.count, chunk.count)
    buffer.copyBytes(from: chunk.prefix(count))
    chunk = chunk.dropFirst(count)
    return count
  }
}
