import Synchronization

#if canImport(Glibc)
  internal import CLinux
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The right to run with one store: one run at a time, across processes and within one.
///
/// The kernel gives it back when the process ends, however it ends.
public final class StoreLock: Sendable {
  /// Who holds a store.
  public struct Holder: Sendable, Equatable {
    public var pid: Int32
    public var since: Timestamp

    public init(pid: Int32, since: Timestamp) {
      self.pid = pid
      self.since = since
    }
  }

  /// How often a lock that is held is tried again.
  private static let pollInterval = Duration.milliseconds(50)
  /// How long a lock is tried for in any case: who only notes how the file looks is through by then.
  private static let leastWait = Duration.milliseconds(100)

  private let sidecar: StoreSidecar?
  /// The file that carries the lock; nil once it was given back.
  private let descriptor: Mutex<Int32?>

  private init(sidecar: StoreSidecar?, descriptor: Int32?) {
    self.sidecar = sidecar
    self.descriptor = Mutex(descriptor)
  }

  deinit { release() }

  /// Takes the lock of the store at `storePath`, waiting up to `wait` while another run holds it.
  /// A store in memory needs none.
  ///
  /// - Throws: `SyncError(.locked)`, which names the holder; `.store` when the lock's file cannot be
  ///   made; `CancellationError`, at once, when the task is cancelled meanwhile.
  public static func acquire(
    storePath: String, wait: Duration = .zero, clock: some Clock<Duration> = ContinuousClock()
  ) async throws -> StoreLock {
    guard storePath != ":memory:" else { return StoreLock(sidecar: nil, descriptor: nil) }
    let deadline = clock.now.advanced(by: max(wait, leastWait))
    while true {
      do {
        return try attempt(storePath: storePath, waited: wait)
      } catch {
        guard error.code == .locked, clock.now < deadline else { throw error }
      }
      try await clock.sleep(for: min(pollInterval, clock.now.duration(to: deadline)))
    }
  }

  /// Takes the lock of the store at `storePath`, if nobody holds it.
  ///
  /// - Throws: `SyncError(.locked)`, which names the holder; `.store`.
  public static func attempt(storePath: String) throws(SyncError) -> StoreLock {
    guard storePath != ":memory:" else { return StoreLock(sidecar: nil, descriptor: nil) }
    return try attempt(storePath: storePath, waited: .zero)
  }

  private static func attempt(
    storePath: String, waited: Duration
  ) throws(SyncError) -> StoreLock {
    let storePath = FileSystem.resolve(storePath)
    let sidecar = StoreSidecar(storePath: storePath)
    guard FileSystem.makeDirectories(for: sidecar.path),
      let descriptor = FileSystem.open(sidecar.path, O_RDWR | O_CREAT)
    else { throw SyncError(.store, "\(sidecar.path) cannot be made: \(FileSystem.reason)") }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let (code, reason) = (errno, FileSystem.reason)
      close(descriptor)
      guard code == EWOULDBLOCK || code == EINTR else {
        throw SyncError(.store, "\(sidecar.path) cannot be locked: \(reason)")
      }
      throw SyncError(heldBy: sidecar.read().holder, storePath: storePath, waited: waited)
    }
    sidecar.update { $0.holder = Holder(pid: getpid(), since: .now) }
    return StoreLock(sidecar: sidecar, descriptor: descriptor)
  }

  /// Who holds the lock of the store at `storePath` now; nil when nobody does.
  ///
  /// A run that is about to begin may find the lock taken while this looks.
  public static func holder(storePath: String) -> Holder? {
    let sidecar = StoreSidecar(storePath: FileSystem.resolve(storePath))
    guard let descriptor = FileSystem.open(sidecar.path, O_RDONLY) else { return nil }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return sidecar.read().holder }
    flock(descriptor, LOCK_UN)
    return nil
  }

  /// Gives the lock back; so does the last reference to it when it goes.
  public func release() {
    descriptor.withLock { held in
      guard let descriptor = held else { return }
      sidecar?.update { $0.holder = nil }
      // Closing is not enough: a child that is being started has the descriptor until it runs.
      flock(descriptor, LOCK_UN)
      close(descriptor)
      held = nil
    }
  }
}

extension SyncError {
  fileprivate init(heldBy holder: StoreLock.Holder?, storePath: String, waited: Duration) {
    let who = holder.map { "process \($0.pid), since \($0.since)" } ?? "another process"
    let seconds = waited.components.seconds
    self.init(
      .locked,
      "another run holds \(storePath): \(who)"
        + (seconds > 0 ? "; waited for \(seconds) s" : "") + "; try again once it is done")
  }
}
