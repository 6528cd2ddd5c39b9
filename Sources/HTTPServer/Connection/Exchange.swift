/// One request while it arrives: from its first line to the answer. Used by one thread at a time.
final class Exchange {
  /// What is done with what comes.
  enum Stage {
    /// The head is not read yet.
    case head
    case gathering(limit: Int?, Answerer)
    case draining(Response)
    /// The body is read; a task works on the answer.
    case waiting(PendingAnswer)
    case answered
  }

  let target: RequestTarget
  var request: Request?
  var stage = Stage.head
  /// Set once the connection may have to wait.
  private(set) var suspension: Suspension?
  /// Whom the answer sends events to.
  var follower: FeedFollower?
  private(set) var drained = 0
  /// Bytes counted against all connections' budget.
  private(set) var held = 0

  init(target: RequestTarget) {
    self.target = target
  }

  /// How much of an unwanted body is read before the connection is simply closed.
  static let drainLimit = 64 << 20

  /// Takes the next bytes of the body.
  ///
  /// - Returns: false when the connection should be closed.
  func take(_ bytes: UnsafeRawBufferPointer, budget: BodyBudget) -> Bool {
    if case .gathering(let limit?, _) = stage {
      let count = request?.body.count ?? 0
      if count + bytes.count > limit {
        refuse(.bodyTooLarge(limit: limit), budget: budget)
      } else if !budget.take(bytes.count) {
        refuse(
          Problem(503, "too many requests at once").adding("Retry-After", "1"), budget: budget)
      } else {
        // The client has begun to send what it said it would.
        let expected = count == 0 ? min(limit, max(0, request?.declaredLength ?? 0)) : 0
        if expected > bytes.count { request?.body.reserveCapacity(expected) }
        held += bytes.count
        request?.body.append(contentsOf: bytes)
        return true
      }
    }
    drained += bytes.count
    return drained <= Self.drainLimit
  }

  private func refuse(_ problem: Problem, budget: BodyBudget) {
    request?.body = []
    giveBack(to: budget)
    stage = .draining(problem.response)
  }

  private func giveBack(to budget: BodyBudget) {
    budget.giveBack(held)
    held = 0
  }

  func suspension(of connection: MHDConnection, in suspensions: Suspensions) -> Suspension {
    if let suspension { return suspension }
    let made = suspensions.make(connection.pointer)
    suspension = made
    return made
  }

  /// The answer is sent, or the connection is gone.
  func end(budget: BodyBudget, suspensions: Suspensions) {
    giveBack(to: budget)
    if let suspension { suspensions.end(suspension) }
    if case .waiting(let pending) = stage { pending.cancel() }
    follower?.end()
  }
}
