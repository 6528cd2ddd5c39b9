internal import CCurl

extension CurlHandle {
  /// Bodies up to this size are sent together with the head of the request, in one piece.
  private static let smallBody = 16 << 10

  /// Sets all that differs from one request to the next.
  func prepare(_ transfer: CurlTransfer) throws(TransportError) {
    guard let target = CurlURL(transfer.url) else {
      throw transfer.error(.invalidRequest, "This is no URL that a request can be sent to.")
    }
    self.target = target
    set(CURLOPT_URL, target.url)
    set(CURLOPT_PIPEWAIT, target.url.hasPrefix("https:") ? 1 : 0)
    setSocketPath(target.socketPath)

    let request = transfer.request
    var extra: [StaticString] = ["Expect:"]
    if request.headers["Accept-Encoding"] == nil { extra.append("Accept-Encoding: gzip") }
    isForm = setMethodAndBody(request)
    if isForm && request.headers["Content-Type"] == nil {
      extra.append("Content-Type:")
    }
    guard let list = headerList.fill(request.headers, and: extra) else {
      throw transfer.error(.invalidRequest, "A header field holds characters that none may.")
    }
    set(CURLOPT_HTTPHEADER, UnsafeMutableRawPointer(list))
  }

  private func setSocketPath(_ path: String?) {
    guard path != socketPath else { return }
    socketPath = path
    if let path {
      set(CURLOPT_UNIX_SOCKET_PATH, path)
      set(CURLOPT_NOPROXY, "*")
    } else {
      set(CURLOPT_UNIX_SOCKET_PATH, nil)
      set(CURLOPT_NOPROXY, nil)
    }
  }

  /// Whether libcurl would name a type for the body of its own accord.
  private func setMethodAndBody(_ request: HTTPRequest) -> Bool {
    if isHead { set(CURLOPT_NOBODY, 0) }
    isHead = request.method == .head
    body = []
    bodyOffset = 0

    let isForm: Bool
    switch request.body {
    case .stream:
      set(CURLOPT_UPLOAD, 1)
      set(CURLOPT_INFILESIZE_LARGE, Int64(-1))
      isForm = false
    case .bytes(let bytes) where bytes.count > Self.smallBody:
      body = bytes
      set(CURLOPT_UPLOAD, 1)
      set(CURLOPT_INFILESIZE_LARGE, Int64(bytes.count))
      isForm = false
    case .bytes(let bytes):
      setForm(bytes)
      isForm = true
    case .none where request.method == .put || request.method == .post:
      setForm([])
      isForm = true
    case .none:
      set(CURLOPT_HTTPGET, 1)
      isForm = false
    }
    if isHead {
      set(CURLOPT_NOBODY, 1)
      set(CURLOPT_CUSTOMREQUEST, nil)
    } else {
      set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    }
    return isForm
  }

  /// libcurl's way for forms sends head and body at once, whatever the method is called.
  private func setForm(_ bytes: [UInt8]) {
    set(CURLOPT_POST, 1)
    set(CURLOPT_POSTFIELDSIZE_LARGE, Int64(bytes.count))
    bytes.withUnsafeBytes { buffer in
      let start = buffer.baseAddress ?? UnsafeRawPointer(easy)
      set(CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: start))
    }
  }
}
