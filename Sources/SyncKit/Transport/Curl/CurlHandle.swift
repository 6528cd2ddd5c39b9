internal import CCurl

/// One easy handle with the state of the transfer that it carries out. It is used again for the
/// next transfer, and only ever by the loop's thread.
final class CurlHandle {
  let easy: UnsafeMutableRawPointer
  private let errorText: UnsafeMutablePointer<CChar>
  private var resolved: UnsafeMutablePointer<curl_slist>?
  var headerList = CurlHeaderList()

  private(set) var transfer: CurlTransfer?
  /// Whether its transfer has a connection beside those that others share.
  var isFollowed: Bool { transfer?.request.isFollowed == true }
  /// Where the handle was added; nil while it is idle.
  var multi: CurlMulti?

  // MARK: What was set for the request

  var target: CurlURL?
  var socketPath: String?
  var isHead = false
  /// Head and body go out in one piece.
  var isForm = false
  /// The body that the read callback serves, and how much of it has been read.
  var body: [UInt8] = []
  var bodyOffset = 0

  // MARK: What has come of the response

  var lines = CurlResponseHead()
  var head: HTTPResponseHead?
  /// Unpacks the body, where it is packed.
  var gunzip: Gunzip?
  var isPacked = false
  /// Where the response leads, when that is to be followed.
  var redirect: CurlURL?
  var received: [UInt8] = []
  /// Bytes of the body, unpacked.
  var receivedCount: Int64 = 0
  /// Why a callback ended the transfer.
  var failure: TransportError?

  // MARK: Where the transfer stands

  /// The connection stands and the request has begun to go out.
  var isSending = false
  var isReceivePaused = false
  var isSendPaused = false
  /// What had crossed the wire when it was last looked at, and since when it is so much.
  var progress: (bytes: Int64, since: ContinuousClock.Instant)?

  init?(_ options: CurlTransport.Options) {
    guard let easy = curl_easy_init() else { return nil }
    self.easy = easy
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.pointee = 0
    configure(options)
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(resolved)
    errorText.deallocate()
  }

  private func configure(_ options: CurlTransport.Options) {
    set(CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(errorText))
    let context = Unmanaged.passUnretained(self).toOpaque()
    set(CURLOPT_PRIVATE, context)
    setCallbacks(context)

    set(CURLOPT_NOSIGNAL, 1)
    // A look-up that hangs must not hold the loop when its transfer is given up.
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_PATH_AS_IS, 1)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    set(CURLOPT_BUFFERSIZE, 65536)
    set(CURLOPT_TCP_KEEPALIVE, 1)
    set(CURLOPT_TCP_KEEPIDLE, 30)
    set(CURLOPT_TCP_KEEPINTVL, 10)
    set(CURLOPT_CONNECTTIMEOUT_MS, max(1, options.connectTimeout.milliseconds))
    if let file = options.caFile { set(CURLOPT_CAINFO, file) }
    if let file = options.certificateFile { set(CURLOPT_SSLCERT, file) }
    if let file = options.keyFile { set(CURLOPT_SSLKEY, file) }
    for entry in options.resolve { resolved = curl_slist_append(resolved, entry) }
    if let resolved { set(CURLOPT_RESOLVE, UnsafeMutableRawPointer(resolved)) }
  }

  // MARK: One transfer

  /// Takes a transfer on; throws what makes its request impossible.
  func begin(_ transfer: CurlTransfer) throws(TransportError) {
    self.transfer = transfer
    transfer.handle = self
    lines.reset()
    head = nil
    redirect = nil
    isPacked = false
    receivedCount = 0
    failure = nil
    isSending = false
    isReceivePaused = false
    isSendPaused = false
    progress = nil
    errorText.pointee = 0
    try prepare(transfer)
  }

  /// Gives the transfer back and keeps nothing of it.
  func end() {
    transfer?.handle = nil
    transfer = nil
    target = nil
    body = []
    received = []
  }

  /// Goes on with what was paused. False where that ended the transfer: see `failure`.
  func resume() -> Bool {
    isSendPaused = false
    if case .parts(let mailbox) = transfer?.sink, mailbox.isHeldBack {
      isReceivePaused = true
    } else {
      isReceivePaused = false
      guard unpack() else { return false }
    }
    curl_easy_pause(easy, isReceivePaused ? CURLPAUSE_RECV : CURLPAUSE_CONT)
    return failure == nil
  }

  /// What libcurl's result means, in its own words.
  func error(_ code: CURLcode) -> TransportError? {
    guard let transfer else { return nil }
    if let failure { return failure }
    let own = String(cString: errorText)
    let text = own.isEmpty ? String(cString: curl_easy_strerror(code)) : own
    return transfer.error(
      .init(code, isSending: isSending, hasHead: head != nil, text: text),
      words(code, text), bytesReceived: receivedCount)
  }

  // MARK: Options and infos

  func set(_ option: CURLoption, _ value: Int) {
    _ = syncd_curl_set_long(easy, option, value)
  }

  func set(_ option: CURLoption, _ value: Int64) {
    _ = syncd_curl_set_offset(easy, option, curl_off_t(value))
  }

  func set(_ option: CURLoption, _ value: String) {
    _ = syncd_curl_set_string(easy, option, value)
  }

  func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) {
    _ = syncd_curl_set_pointer(easy, option, value)
  }

  func offset(_ info: CURLINFO) -> Int64 {
    var value: curl_off_t = 0
    _ = syncd_curl_get_offset(easy, info, &value)
    return Int64(value)
  }

  func long(_ info: CURLINFO) -> Int64 {
    var value = 0
    _ = syncd_curl_get_long(easy, info, &value)
    return Int64(value)
  }
}
