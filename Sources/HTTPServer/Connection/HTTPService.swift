/// What stands behind an HTTP daemon. Called on the daemon's threads, by several at once.
package protocol HTTPService: AnyObject, Sendable {
  /// The bytes of bodies that all requests together may hold.
  var budget: BodyBudget { get }

  /// Decides on the head alone whether and how the body is taken, and who answers.
  func admit(_ request: Request) -> Intake

  /// Called once for each answer, right before it is sent.
  func count(_ request: Request, _ response: Response)
}

/// What is done with a request whose head was read.
package enum Intake: Sendable {
  /// Its body is gathered, up to so many bytes, and then it is answered; nil where no body is read.
  case gathering(limit: Int?, Answerer)
  /// Its body is read and thrown away, so that the client is done sending when the refusal comes. A
  /// connection closed on a client that still sends may lose the answer on its way.
  case draining(Response)
}

/// Who answers a request, its body gathered.
package enum Answerer: Sendable {
  /// At once, on the daemon's thread.
  case now(@Sendable (Request) -> Response)
  /// At once, but the answer comes later, from any thread: `done` is called with it, once.
  case whenDone(@Sendable (Request, _ done: @escaping @Sendable (Response) -> Void) -> Void)
  /// A task of its own, for which no thread waits. It is cancelled when the connection ends, which
  /// is not noticed before the answer is sent, and when the daemon stops.
  case later(@Sendable (Request) async -> Response)
}

/// How much the clients of a daemon together may ask for.
package struct DaemonLimits: Sendable {
  /// Threads that answer requests, at least 2.
  package var threads: Int
  /// Connections open at once, at least 8.
  package var connections: Int
  /// Seconds after which a connection on which nothing moves is closed. One that waits for events
  /// or for an answer is not counted as idle.
  package var idleSeconds: Int

  package init(threads: Int = 2, connections: Int = 64, idleSeconds: Int = 60) {
    self.threads = threads
    self.connections = connections
    self.idleSeconds = idleSeconds
  }
}
