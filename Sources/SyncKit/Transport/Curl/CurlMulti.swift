internal import CCurl

/// A set of connections, and the transfers under way on them.
final class CurlMulti {
  let multi: UnsafeMutableRawPointer
  private(set) var active = 0
  /// Of those that are active, the transfers that are followed: each has a connection beside those
  /// that the others share.
  private var followed = 0
  private let concurrency: Int

  /// Set up once for the process; never torn down, since others may use libcurl too.
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  init?(_ options: CurlTransport.Options) {
    guard Self.isReady, let multi = curl_multi_init() else { return nil }
    self.multi = multi
    concurrency = max(1, options.concurrency)
    _ = syncd_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, concurrency)
    _ = syncd_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(16, concurrency * 2))
  }

  deinit { curl_multi_cleanup(multi) }

  func add(_ handle: CurlHandle) -> Bool {
    if handle.isFollowed { countFollowed(1) }
    guard curl_multi_add_handle(multi, handle.easy) == CURLM_OK else {
      if handle.isFollowed { countFollowed(-1) }
      return false
    }
    handle.multi = self
    active += 1
    return true
  }

  /// Where the transfer was not finished, its connection is closed, or its stream reset.
  func remove(_ handle: CurlHandle) {
    curl_multi_remove_handle(multi, handle.easy)
    handle.multi = nil
    active -= 1
    if handle.isFollowed { countFollowed(-1) }
  }

  private func countFollowed(_ change: Int) {
    followed += change
    _ = syncd_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, concurrency + followed)
  }

  func perform() {
    var running: Int32 = 0
    curl_multi_perform(multi, &running)
  }

  /// A transfer that has ended since the last call.
  func nextFinished() -> (handle: CurlHandle, code: CURLcode)? {
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE else { continue }
      let code = syncd_curl_message_result(message)
      var context: UnsafeMutableRawPointer?
      _ = syncd_curl_get_pointer(message.pointee.easy_handle, CURLINFO_PRIVATE, &context)
      guard let context else { continue }
      return (Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue(), code)
    }
    return nil
  }

  func poll(milliseconds: Int) {
    curl_multi_poll(multi, nil, 0, Int32(clamping: milliseconds), nil)
  }
}
