internal import CZlib

/// Unpacks a gzip stream (RFC 1952) no faster than what comes out is taken, so that memory stays
/// bounded whatever it unpacks to. Checks its checksums and its end, which libcurl does not.
final class Gunzip {
  enum Step {
    /// So many bytes were put out.
    case output(Int)
    /// Nothing comes out before more goes in.
    case needsInput
    /// This is not gzip, or was damaged.
    case damaged
  }

  private let stream: UnsafeMutablePointer<z_stream>
  private var input: [UInt8] = []
  private var offset = 0
  private var isWithinMember = false

  init?() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard syncd_zlib_begin_gunzip(stream) == Z_OK else {
      stream.deallocate()
      return nil
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Makes ready for another stream.
  func reset() {
    inflateReset(stream)
    input.removeAll(keepingCapacity: true)
    offset = 0
    isWithinMember = false
  }

  /// Whether the stream may end here: nothing came at all, or all that came was whole.
  var isWhole: Bool { offset == input.count && !isWithinMember }

  func append(_ bytes: UnsafeRawBufferPointer) {
    if offset == input.count {
      input.removeAll(keepingCapacity: true)
      offset = 0
    }
    input.append(contentsOf: bytes)
  }

  /// Unpacks into a buffer until it is full or the input is used up.
  func step(into buffer: UnsafeMutableRawBufferPointer) -> Step {
    guard offset < input.count || isWithinMember else { return .needsInput }
    let output = buffer.bindMemory(to: UInt8.self)
    let (code, consumed): (Int32, Int) = input.withUnsafeMutableBytes { input in
      let rest = UnsafeMutableRawBufferPointer(rebasing: input[offset...])
        .bindMemory(to: UInt8.self)
      stream.pointee.next_in = rest.baseAddress
      stream.pointee.avail_in = UInt32(rest.count)
      stream.pointee.next_out = output.baseAddress
      stream.pointee.avail_out = UInt32(output.count)
      let code = inflate(stream, Z_NO_FLUSH)
      return (code, rest.count - Int(stream.pointee.avail_in))
    }
    offset += consumed
    let count = output.count - Int(stream.pointee.avail_out)
    switch code {
    case Z_OK:
      isWithinMember = true
    case Z_STREAM_END:
      // Another member may follow (RFC 1952, 2.2).
      isWithinMember = false
      inflateReset(stream)
    case Z_BUF_ERROR:
      break
    default:
      return .damaged
    }
    return count > 0 || offset < input.count ? .output(count) : .needsInput
  }
}
