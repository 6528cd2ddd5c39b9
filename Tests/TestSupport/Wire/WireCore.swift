internal import SyncKit
internal import Synchronization

/// What a server's threads share; the server itself is not held by them.
final class WireCore: Sendable {
  struct State {
    var requests: [WireRequest] = []
    var numbered = 0
    var accepted = 0
    var bytesSent = 0
    var open: [Int: WireSocket] = [:]
    var isStopped = false
  }

  let state = Mutex(State())
  let early: WireServer.EarlyHandler?
  let handler: WireServer.Handler
  private let listener: WireSocket
  private let limit: Int
  private let isMute: Bool
  private let end: ContinuousClock.Instant

  init(
    socket: WireSocket, limit: Int, lifetime: Duration, isMute: Bool,
    early: WireServer.EarlyHandler?,
    handler: @escaping WireServer.Handler
  ) {
    listener = socket
    self.limit = limit
    self.isMute = isMute
    self.early = early
    self.handler = handler
    end = ContinuousClock.now + lifetime
  }

  var isStopped: Bool { state.withLock { $0.isStopped } }

  func start() throws {
    guard DedicatedThread.start({ self.accept() }) else {
      listener.closeDescriptor()
      throw WireSocket.Failure(call: "pthread_create", code: 0)
    }
  }

  /// Sockets are only shut here: each is closed by the thread that uses it.
  func stop() {
    state.withLock { state in
      if state.isStopped { return }
      state.isStopped = true
      listener.shut()
      for socket in state.open.values { socket.shut() }
    }
  }

  func countSent(_ bytes: Int) {
    state.withLock { $0.bytesSent += bytes }
  }

  func log(_ request: inout WireRequest) {
    let head = request
    request.number = state.withLock { state in
      state.numbered += 1
      var logged = head
      logged.number = state.numbered
      state.requests.append(logged)
      return logged.number
    }
  }

  /// Puts the body to a request that was logged by its head.
  func update(_ request: WireRequest) {
    state.withLock { state in
      guard let index = state.requests.lastIndex(where: { $0.number == request.number })
      else { return }
      state.requests[index] = request
    }
  }

  private func accept() {
    defer { listener.closeDescriptor() }
    while !isStopped {
      guard listener.waitForConnection() else {
        if ContinuousClock.now > end { stop() }
        continue
      }
      guard let socket = listener.acceptNext() else { return stop() }
      serve(socket)
    }
  }

  private func serve(_ socket: WireSocket) {
    let number: Int? = state.withLock { state in
      state.accepted += 1
      guard !state.isStopped, state.open.count < limit else { return nil }
      state.open[state.accepted] = socket
      return state.accepted
    }
    guard let number else { return socket.closeDescriptor() }
    let started = DedicatedThread.start {
      var connection = WireConnection(socket: socket, number: number, core: self)
      if self.isMute { connection.stayMute() } else { connection.serve() }
      self.close(socket, number)
    }
    if !started { close(socket, number) }
  }

  private func close(_ socket: WireSocket, _ number: Int) {
    state.withLock { state in
      state.open[number] = nil
      socket.closeDescriptor()
    }
  }
}
