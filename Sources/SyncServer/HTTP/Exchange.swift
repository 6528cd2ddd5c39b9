/// One request while it arrives: from its first line to the answer. Used by one thread at a time.
final class Exchange {
  /// What is done with the body.
  enum Intake {
    /// The head is not read yet.
    case head
    /// Gathered, up to so many bytes, for this admission; nil for one that reads no body.
    case gathering(Admission, limit: Int?)
    /// Read and thrown away, so that the client is done sending when the refusal comes. A
    /// connection closed on a client that still sends may lose the answer on its way.
    case draining(Response)
    case answered
  }

  let target: RequestTarget
  var request: Request?
  var intake = Intake.head
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
    if case .gathering(_, let limit?) = intake {
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
    intake = .draining(problem.response)
  }

  func giveBack(to budget: BodyBudget) {
    budget.giveBack(held)
    held = 0
  }
}
