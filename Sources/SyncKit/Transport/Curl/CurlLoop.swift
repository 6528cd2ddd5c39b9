internal import CCurl
internal import Synchronization

/// Drives every transfer of one transport, on the thread that runs it.
final class CurlLoop {
  private let queue: CurlQueue
  private let options: CurlTransport.Options
  /// Takes new transfers; made anew when its connections are not to be used again.
  private var current: CurlMulti?
  /// Sets of connections that only finish what is under way on them.
  private var retiring: [CurlMulti] = []
  /// Every handle there is; those without a transfer are idle.
  private var handles: [CurlHandle] = []
  private var idle: [CurlHandle] = []
  /// Transfers beyond what libcurl is given at once, oldest first.
  private var waiting: [CurlTransfer] = []
  private var nextLook = ContinuousClock.now

  /// libcurl walks through all it was given at every turn.
  private static let maximumActive = 256
  /// How often, in milliseconds, connections are served that only finish what is under way.
  private static let retiringInterval = 10

  init(queue: CurlQueue, options: CurlTransport.Options) {
    self.queue = queue
    self.options = options
  }

  private var active: Int { handles.count - idle.count }

  func run() {
    while let commands = queue.take() {
      for command in commands { carryOut(command) }
      startWaiting()
      perform()
      startWaiting()
      dropIdleLongerThanAllowed()
      sleep()
    }
    for handle in handles where handle.transfer != nil {
      give(handle) { $0.fail(CancellationError()) }
    }
    for transfer in waiting { transfer.fail(CancellationError()) }
    for case .start(let transfer) in queue.takeRest() { transfer.fail(CancellationError()) }
  }

  private func carryOut(_ command: CurlQueue.Command) {
    switch command {
    case .start(let transfer):
      waiting.append(transfer)
    case .cancel(let transfer):
      fail(transfer, CancellationError())
    case .fail(let transfer, let error):
      fail(transfer, error)
    case .resume(let transfer):
      guard let handle = transfer.handle, !handle.resume() else { return }
      if let failure = handle.failure { fail(transfer, failure) }
    case .closeIdle:
      for transfer in handles.compactMap(\.transfer) where transfer.request.isFollowed {
        fail(transfer, transfer.error(.connectionLost, "The connections were given up."))
      }
      if let current, current.active > 0 { retiring.append(current) }
      current = nil
    }
  }

  // MARK: Beginning

  private func startWaiting() {
    guard !waiting.isEmpty else { return }
    var taken = 0
    while taken < waiting.count, active < Self.maximumActive {
      start(waiting[taken])
      taken += 1
    }
    waiting.removeFirst(taken)
  }

  private func start(_ transfer: CurlTransfer) {
    if let error = transfer.end { return transfer.fail(error) }
    nextLook = min(nextLook, ContinuousClock.now + lookInterval(transfer))
    if current == nil { current = CurlMulti(options) }
    guard let handle = idle.popLast() ?? makeHandle(), let current else {
      return transfer.fail(
        transfer.error(.cannotConnect, "libcurl has no memory for another transfer."))
    }
    do {
      try handle.begin(transfer)
      guard current.add(handle) else {
        throw transfer.error(.cannotConnect, "libcurl does not take another transfer.")
      }
    } catch {
      give(handle) { $0.fail(error) }
    }
  }

  private func makeHandle() -> CurlHandle? {
    guard let handle = CurlHandle(options) else { return nil }
    handles.append(handle)
    return handle
  }

  // MARK: Ending

  private func perform() {
    current?.perform()
    for multi in retiring { multi.perform() }
    while let (handle, code) = current?.nextFinished() { finish(handle, code) }
    guard !retiring.isEmpty else { return }
    for multi in retiring {
      while let (handle, code) = multi.nextFinished() { finish(handle, code) }
    }
    retiring.removeAll { $0.active == 0 }
  }

  private func finish(_ handle: CurlHandle, _ code: CURLcode) {
    guard code == CURLE_OK, handle.failure == nil else {
      let error = handle.error(code)
      return give(handle) { if let error { $0.fail(error) } }
    }
    if let target = handle.redirect {
      return give(handle) { transfer in
        transfer.url = target.external
        transfer.redirects += 1
        start(transfer)
      }
    }
    guard let head = handle.head else {
      return give(handle) {
        $0.fail($0.error(.connectionLost, "The connection ended before the response began."))
      }
    }
    if handle.isPacked, handle.gunzip?.isWhole == false {
      let count = handle.receivedCount
      return give(handle) {
        $0.fail(
          $0.error(.truncatedBody, "The gzip data breaks off before its end.", bytesReceived: count)
        )
      }
    }
    let body = handle.received
    give(handle) { $0.succeed(HTTPResponse(head: head, body: body)) }
  }

  private func fail(_ transfer: CurlTransfer, _ error: any Error) {
    transfer.end = error
    if let handle = transfer.handle { give(handle) { $0.fail(error) } }
    if let index = waiting.firstIndex(where: { $0 === transfer }) {
      waiting.remove(at: index)
      transfer.fail(error)
    }
  }

  /// Makes the handle idle, and tells the transfer how it ended.
  private func give(_ handle: CurlHandle, _ outcome: (CurlTransfer) -> Void) {
    let transfer = handle.transfer
    if let multi = handle.multi {
      count(handle)
      multi.remove(handle)
    }
    handle.end()
    idle.append(handle)
    if let transfer { outcome(transfer) }
  }

  private func count(_ handle: CurlHandle) {
    let sent = handle.sentBytes
    let received = handle.receivedBytes
    queue.traffic.withLock { traffic in
      if handle.isSending { traffic.requests += 1 }
      traffic.bytesSent += sent
      traffic.bytesReceived += received
    }
  }

  // MARK: Waiting

  /// How long a transfer may stand still.
  private func idleTimeout(_ transfer: CurlTransfer) -> Duration {
    transfer.request.idleTimeout ?? options.idleTimeout
  }

  /// How often a transfer is looked at for whether it stands still. One that is followed stands still
  /// nearly all the time, for months, and need not be found dead to the second.
  private func lookInterval(_ transfer: CurlTransfer) -> Duration {
    idleTimeout(transfer) / (transfer.request.isFollowed ? 2 : 8)
  }

  private func dropIdleLongerThanAllowed() {
    guard active > 0 else { return }
    let now = ContinuousClock.now
    guard now >= nextLook else { return }
    nextLook = now + (handles.compactMap(\.transfer).map(lookInterval).min() ?? .seconds(1))
    for handle in handles {
      guard let transfer = handle.transfer, handle.isSending else { continue }
      let bytes = handle.sentBytes + handle.receivedBytes
      let isHeld = handle.isReceivePaused || handle.isSendPaused
      guard !isHeld, let progress = handle.progress, progress.bytes == bytes else {
        handle.progress = (bytes, now)
        continue
      }
      let timeout = idleTimeout(transfer)
      guard now - progress.since >= timeout else { continue }
      fail(
        transfer,
        transfer.error(
          .timedOut, "No byte came or went for \(timeout).",
          bytesReceived: handle.receivedCount))
    }
  }

  private func sleep() {
    if current == nil { current = CurlMulti(options) }
    guard let current, queue.fallAsleep(current.multi) else { return }
    var milliseconds = Int.max
    if active > 0 { milliseconds = max(1, (nextLook - .now).milliseconds) }
    if !retiring.isEmpty { milliseconds = min(milliseconds, Self.retiringInterval) }
    current.poll(milliseconds: milliseconds)
    queue.wokeUp()
  }
}

extension CurlHandle {
  /// Bytes of the request, head and body, that have gone out. Before HTTP/2, libcurl counts a body
  /// that goes out together with its head on both sides.
  var sentBytes: Int64 {
    let isCountedTwice = isForm && long(CURLINFO_HTTP_VERSION) < CURL_HTTP_VERSION_2_0
    return long(CURLINFO_REQUEST_SIZE) + (isCountedTwice ? 0 : offset(CURLINFO_SIZE_UPLOAD_T))
  }

  /// Bytes of the response, head and body, as they came over the wire, without the framing of
  /// chunks.
  var receivedBytes: Int64 {
    long(CURLINFO_HEADER_SIZE) + offset(CURLINFO_SIZE_DOWNLOAD_T)
  }
}
