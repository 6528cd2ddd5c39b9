internal import CCurl

extension CurlHandle {
  /// A body may unpack to this much, however small it was on the wire.
  private static let freeUnpacking: Int64 = 16 << 20
  /// Beyond it, to no more than this many times what came over the wire.
  private static let unpackingRatio: Int64 = 200

  func setCallbacks(_ context: UnsafeMutableRawPointer) {
    set(CURLOPT_HEADERDATA, context)
    _ = syncd_curl_set_data_function(easy, CURLOPT_HEADERFUNCTION) { start, size, count, context in
      guard let handle = CurlHandle.from(context) else { return 0 }
      let line = UnsafeRawBufferPointer(start: start, count: size * count)
      return handle.take(line: line) ? line.count : 0
    }
    set(CURLOPT_WRITEDATA, context)
    _ = syncd_curl_set_data_function(easy, CURLOPT_WRITEFUNCTION) { start, size, count, context in
      guard let handle = CurlHandle.from(context) else { return 0 }
      let bytes = UnsafeRawBufferPointer(start: start, count: size * count)
      return handle.take(bytes: bytes) ? bytes.count : 0
    }
    set(CURLOPT_READDATA, context)
    _ = syncd_curl_set_data_function(easy, CURLOPT_READFUNCTION) { start, size, count, context in
      guard let handle = CurlHandle.from(context) else { return Int(CURL_READFUNC_ABORT) }
      return handle.give(to: UnsafeMutableRawBufferPointer(start: start, count: size * count))
    }
    set(CURLOPT_SEEKDATA, context)
    _ = syncd_curl_set_seek_function(easy) { context, offset, origin in
      guard let handle = CurlHandle.from(context), origin == 0 else { return CURL_SEEKFUNC_FAIL }
      return handle.rewind(to: Int(offset)) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
    }
    set(CURLOPT_PREREQDATA, context)
    _ = syncd_curl_set_prereq_function(easy) { context, _, _, _, _ in
      CurlHandle.from(context)?.isSending = true
      return CURL_PREREQFUNC_OK
    }
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> CurlHandle? {
    context.map { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue() }
  }

  // MARK: The response

  private func take(line: UnsafeRawBufferPointer) -> Bool {
    guard let transfer else { return false }
    switch lines.append(line) {
    case .more:
      return true
    case .tooLong:
      failure = transfer.error(
        .malformedResponse,
        "The head of the response has more than \(CurlResponseHead.limit) bytes.")
    case .malformed:
      failure = transfer.error(.malformedResponse, "The response has no status.")
    case .complete(let status, let headers):
      failure = take(status: status, headers: headers, of: transfer)
    }
    return failure == nil
  }

  private func take(
    status: Int, headers: HTTPHeaders, of transfer: CurlTransfer
  ) -> TransportError? {
    guard let target else { return nil }
    let head = HTTPResponseHead(status: status, headers: headers, url: transfer.url)
    self.head = head
    let lengths = headers.values("Content-Length")
    if let length = lengths.first {
      guard let count = Self.contentLength(length), lengths.allSatisfy({ $0 == length }) else {
        return transfer.error(
          .malformedResponse, "The response's Content-Length cannot be: \(length.prefix(40)).")
      }
      if !isHead && status != 304 && count > transfer.request.responseLimit {
        return tooLarge(transfer)
      }
    }
    if let location = headers["Location"], Self.redirects.contains(status),
      transfer.request.method == .get || transfer.request.method == .head,
      transfer.redirects < Self.maximumRedirects
    {
      redirect = target.redirected(to: location)
    }
    if let encoding = headers["Content-Encoding"], !isHead {
      switch encoding.lowercased() {
      case "gzip", "x-gzip": beginUnpacking()
      case "identity", "": break
      default:
        return transfer.error(
          .malformedResponse,
          "The response is encoded in a way that was not asked for: \(encoding.prefix(40)).")
      }
    }
    if redirect == nil, case .parts(let mailbox) = transfer.sink { mailbox.put(head) }
    return nil
  }

  private func beginUnpacking() {
    if let gunzip { gunzip.reset() } else { gunzip = Gunzip() }
    isPacked = true
  }

  private static let redirects: Set<Int> = [301, 302, 303, 307, 308]
  private static let maximumRedirects = 10

  /// A number of digits alone that fits 63 bits.
  private static func contentLength(_ text: String) -> Int64? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
  }

  private func take(bytes: UnsafeRawBufferPointer) -> Bool {
    guard isPacked, redirect == nil else { return deliver(bytes) }
    gunzip?.append(bytes)
    return unpack()
  }

  /// Unpacks what has come, until the reader wants no more for now.
  func unpack() -> Bool {
    guard isPacked, let gunzip else { return true }
    return withUnsafeTemporaryAllocation(byteCount: 32768, alignment: 16) { buffer in
      while !isReceivePaused {
        switch gunzip.step(into: buffer) {
        case .output(let count):
          let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
          if !deliver(bytes) { return false }
        case .needsInput:
          return true
        case .damaged:
          failure = transfer?.error(
            .malformedResponse, "The response is called gzip, and is not.",
            bytesReceived: receivedCount)
          return false
        }
      }
      return true
    }
  }

  private func deliver(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let transfer else { return false }
    receivedCount += Int64(bytes.count)
    let isBomb =
      receivedCount > Self.freeUnpacking
      && receivedCount / Self.unpackingRatio > offset(CURLINFO_SIZE_DOWNLOAD_T)
    guard receivedCount <= transfer.request.responseLimit, !isBomb else {
      failure = tooLarge(transfer)
      return false
    }
    if redirect != nil || bytes.isEmpty { return true }
    switch transfer.sink {
    case .none:
      return false
    case .whole:
      received.append(contentsOf: bytes)
    case .parts(let mailbox):
      if mailbox.put(bytes) && !isReceivePaused {
        isReceivePaused = true
        curl_easy_pause(easy, CURLPAUSE_RECV | (isSendPaused ? CURLPAUSE_SEND : 0))
      }
    }
    return true
  }

  private func tooLarge(_ transfer: CurlTransfer) -> TransportError {
    transfer.error(
      .tooLarge,
      "The response unpacks to more than \(transfer.request.responseLimit) bytes, "
        + "or to \(Self.unpackingRatio) times what came.", bytesReceived: receivedCount)
  }

  // MARK: The request's body

  private func give(to buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let upload = transfer?.upload else {
      let count = min(buffer.count, body.count - bodyOffset)
      buffer.copyBytes(from: body[bodyOffset..<bodyOffset + count])
      bodyOffset += count
      return count
    }
    guard let count = upload.read(into: buffer) else {
      isSendPaused = true
      return Int(CURL_READFUNC_PAUSE)
    }
    return count
  }

  /// libcurl starts a body afresh where a kept connection turned out to be dead.
  private func rewind(to offset: Int) -> Bool {
    if let upload = transfer?.upload { return offset == 0 && upload.isUntouched }
    guard (0...body.count).contains(offset) else { return false }
    bodyOffset = offset
    return true
  }
}
