internal import CMicrohttpd

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What libmicrohttpd's callbacks find behind their context pointer.
final class DaemonContext: Sendable {
  let service: any HTTPService
  let suspensions = Suspensions()

  init(_ service: any HTTPService) {
    self.service = service
  }

  static func from(_ pointer: UnsafeMutableRawPointer?) -> DaemonContext? {
    pointer.map { Unmanaged<DaemonContext>.fromOpaque($0).takeUnretainedValue() }
  }
}

func beginExchange(
  _ context: UnsafeMutableRawPointer?, _ uri: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
  let bytes = uri.map { uri in
    Array(UnsafeRawBufferPointer(start: uri, count: strlen(uri)))
  }
  let exchange = Exchange(target: RequestTarget(bytes ?? []))
  return Unmanaged.passRetained(exchange).toOpaque()
}

func endExchange(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ reason: MHD_RequestTerminationCode
) {
  guard let context = DaemonContext.from(context), let opaque = slot?.pointee else { return }
  slot?.pointee = nil
  Unmanaged<Exchange>.fromOpaque(opaque).takeRetainedValue()
    .end(budget: context.service.budget, suspensions: context.suspensions)
}

func continueExchange(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
  _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?,
  _ data: UnsafePointer<CChar>?, _ size: UnsafeMutablePointer<Int>?,
  _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let context = DaemonContext.from(context), let connection, let size,
    let opaque = slot?.pointee
  else { return .NO }
  let exchange = Unmanaged<Exchange>.fromOpaque(opaque).takeUnretainedValue()
  let connected = MHDConnection(connection)

  guard let request = exchange.request else {
    let request = Request(
      method: method.map { String(cString: $0) } ?? "", target: exchange.target,
      fields: connected.fields())
    exchange.request = request
    switch context.service.admit(request) {
    case .gathering(let limit, let answerer):
      exchange.stage = .gathering(limit: limit, answerer)
    case .draining(let refusal)
    where request.expectsContinue || (request.declaredLength ?? 0) > Exchange.drainLimit:
      return context.send(refusal, to: connected, of: exchange)
    case .draining(let refusal):
      exchange.stage = .draining(refusal)
    }
    return .YES
  }
  if size.pointee > 0 {
    let bytes = UnsafeRawBufferPointer(start: data, count: size.pointee)
    size.pointee = 0
    return exchange.take(bytes, budget: context.service.budget) ? .YES : .NO
  }
  switch exchange.stage {
  case .gathering(_, .now(let answer)):
    return context.send(answer(request), to: connected, of: exchange)
  case .gathering(_, .later(let answer)):
    let suspension = exchange.suspension(of: connected, in: context.suspensions)
    let pending = PendingAnswer(suspension) { await answer(request) }
    exchange.stage = .waiting(pending)
    return context.proceed(pending, connected, exchange)
  case .gathering(_, .whenDone(let answer)):
    let suspension = exchange.suspension(of: connected, in: context.suspensions)
    let pending = PendingAnswer(suspension, whenDone: { answer(request, $0) })
    exchange.stage = .waiting(pending)
    return context.proceed(pending, connected, exchange)
  case .waiting(let pending): return context.proceed(pending, connected, exchange)
  case .draining(let refusal): return context.send(refusal, to: connected, of: exchange)
  case .head, .answered: return .YES
  }
}

extension DaemonContext {
  fileprivate func send(
    _ response: Response, to connection: MHDConnection, of exchange: Exchange
  ) -> MHD_Result {
    exchange.stage = .answered
    if let request = exchange.request { service.count(request, response) }
    if case .events(let follower) = response.body {
      exchange.follower = follower
      follower.attach(exchange.suspension(of: connection, in: suspensions))
    }
    return connection.queue(response)
  }

  /// Sends the answer if it is there; else the connection waits, unless the daemon stops.
  fileprivate func proceed(
    _ pending: PendingAnswer, _ connection: MHDConnection, _ exchange: Exchange
  ) -> MHD_Result {
    let (response, waits) = pending.take()
    if let response { return send(response, to: connection, of: exchange) }
    return waits ? .YES : .NO
  }
}
