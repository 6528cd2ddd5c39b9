extension ServiceMachine {
  enum Phase: Sendable, Equatable {
    /// Before `start`; and after `stop`, once what was under way has ended.
    case stopped
    /// Started, and nothing is under way: what was has ended, and nothing is due yet.
    case resting
    /// Something was due while the remote was in doubt: after trouble, a sleep, or without network.
    case probing(Probe)
    /// Something was due while the remote was not in doubt, or a probe was good.
    case running(Run)
  }

  struct Probe: Sendable, Equatable {
    /// When it is given up.
    var limit: Duration
    var isCancelled = false
    /// Cancelled because it took too long, which counts as a failure.
    var isOverdue = false
  }

  struct Run: Sendable, Equatable {
    /// Whether a person asked for it.
    var isAsked = false
    var retryFailed = false
    var waiters: [Waiter] = []
    var isCancelled = false
  }

  enum Pause: Sendable, Equatable {
    case none
    /// Nil has no end.
    case until(Duration?)

    var isOn: Bool { self != .none }

    var end: Duration? {
      if case .until(let end) = self { end } else { nil }
    }
  }

  /// Why attempts are made on the back-off's time, and on no other.
  struct Trouble: Sendable, Equatable {
    enum Kind: Sendable {
      /// The remote was not reached, or what answered is not it. A probe comes before the next run.
      case remote
      /// The remote refused the credentials. A probe comes first as well.
      case credentials
      /// The local store could not be read or written.
      case store
      /// Another run held the store.
      case locked

      var needsProbe: Bool { self == .remote || self == .credentials }
    }

    var kind: Kind
    /// Attempts that failed since the last that went well, or since the network changed.
    var attempts: Int
    var retryAt: Duration
  }

  /// What is known of the network.
  struct Network: Sendable, Equatable {
    var path: NetworkPath?
    /// Whether the machine says that it has no network, and no answer has proven it wrong since.
    var isDown = false
    /// Whether connections that were open may be dead without knowing, so that a probe comes first.
    var isInDoubt = false
    /// The changes that are waited out.
    var settling: Settling?
    /// How often changes were settled lately: the more often, the longer the next is waited out.
    var restlessness = 0
    var lastChange: Duration?
  }

  struct Settling: Sendable, Equatable {
    /// When the first of the changes came.
    var first: Duration
    var end: Duration
    /// Whether what is under way then is started again.
    var restarts: Bool
  }

  /// What the next run is for.
  struct Queue: Sendable, Equatable {
    /// Whether something asked for a run that came while none could start.
    var isWanted = false
    /// Whether a person asked for it: it is tried at once, whatever else says wait.
    var isAsked = false
    var retryFailed = false
    var waiters: [Waiter] = []
  }

  struct Timers: Sendable, Equatable {
    var local: LocalBurst?
    var remote: Duration?
    var interval: Duration = .zero
    var maintenance: Duration = .zero
  }

  /// Local changes that no run has taken up yet.
  struct LocalBurst: Sendable, Equatable {
    var first: Duration
    var due: Duration
    var deletionsOnly: Bool
  }

  enum Listener: Sendable, Equatable {
    case silent
    case listening(since: Duration, attempts: Int)
    /// The remote stopped telling, and is asked again then. What was missed it tells at once.
    case waiting(until: Duration, attempts: Int)
  }
}
