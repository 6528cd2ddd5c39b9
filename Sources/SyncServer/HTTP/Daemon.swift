internal import CMicrohttpd
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The HTTP daemon: libmicrohttpd's threads, which call the service for every request.
final class Daemon: Sendable {
  private struct Handle: @unchecked Sendable {
    // The pointer is only handed to MHD_stop_daemon, once, under the mutex.
    let pointer: OpaquePointer
  }

  private let handle: Mutex<Handle?>
  /// MHD's threads hold it unretained until `stop()` returns.
  private let service: Service

  init(socket: ListenSocket, service: Service, tls: TLSFiles?) throws(ServerError) {
    self.service = service
    var settings = syncd_mhd_settings()
    settings.listen_socket = socket.descriptor
    settings.is_ipv6 = socket.isIPv6 ? 1 : 0
    settings.threads = UInt32(clamping: max(2, service.limits.threads))
    settings.connections = UInt32(clamping: max(8, service.limits.connections))
    settings.timeout_seconds = UInt32(clamping: service.limits.idleSeconds)
    settings.connection_memory = 128 << 10
    settings.context = Unmanaged.passUnretained(service).toOpaque()
    settings.target = beginExchange
    settings.access = continueExchange
    settings.completed = endExchange
    let pointer = Self.start(&settings, tls: tls)
    guard let pointer else {
      socket.close()
      let subject = tls == nil ? "the HTTP daemon" : "TLS with this certificate and key"
      throw ServerError(.configuration, "cannot start \(subject)")
    }
    handle = Mutex(Handle(pointer: pointer))
  }

  private static func start(
    _ settings: inout syncd_mhd_settings, tls: TLSFiles?
  ) -> OpaquePointer? {
    guard let tls else { return syncd_mhd_start(&settings) }
    return tls.certificate.withCString { certificate in
      tls.key.withCString { key in
        settings.certificate = certificate
        settings.key = key
        return syncd_mhd_start(&settings)
      }
    }
  }

  /// Closes the socket and every connection; returns when no request is under way any more.
  func stop() {
    let handle = handle.withLock { handle in
      defer { handle = nil }
      return handle
    }
    if let handle { MHD_stop_daemon(handle.pointer) }
  }

  deinit {
    stop()
  }
}

private func beginExchange(
  _ context: UnsafeMutableRawPointer?, _ uri: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
  let bytes = uri.map { uri in
    Array(UnsafeRawBufferPointer(start: uri, count: strlen(uri)))
  }
  let exchange = Exchange(target: RequestTarget(bytes ?? []))
  return Unmanaged.passRetained(exchange).toOpaque()
}

private func endExchange(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ reason: MHD_RequestTerminationCode
) {
  guard let context, let opaque = slot?.pointee else { return }
  slot?.pointee = nil
  let service = Unmanaged<Service>.fromOpaque(context).takeUnretainedValue()
  Unmanaged<Exchange>.fromOpaque(opaque).takeRetainedValue().giveBack(to: service.budget)
}

private func continueExchange(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
  _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?,
  _ data: UnsafePointer<CChar>?, _ size: UnsafeMutablePointer<Int>?,
  _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let context, let connection, let size, let opaque = slot?.pointee else { return .NO }
  let service = Unmanaged<Service>.fromOpaque(context).takeUnretainedValue()
  let exchange = Unmanaged<Exchange>.fromOpaque(opaque).takeUnretainedValue()
  let connected = MHDConnection(connection)

  guard let request = exchange.request else {
    let request = Request(
      method: method.map { String(cString: $0) } ?? "", target: exchange.target,
      fields: connected.fields())
    exchange.request = request
    exchange.intake = service.admit(request)
    if case .draining(let response) = exchange.intake,
      request.expectsContinue || (request.declaredLength ?? 0) > Exchange.drainLimit
    {
      exchange.intake = .answered
      service.count(request, response)
      return connected.queue(response)
    }
    return .YES
  }
  if size.pointee > 0 {
    let bytes = UnsafeRawBufferPointer(start: data, count: size.pointee)
    size.pointee = 0
    return exchange.take(bytes, budget: service.budget) ? .YES : .NO
  }
  let response: Response
  switch exchange.intake {
  case .gathering(let admission, _): response = service.answer(request, admission)
  case .draining(let refusal): response = refusal
  case .head, .answered: return .YES
  }
  exchange.intake = .answered
  service.count(request, response)
  return connected.queue(response)
}
