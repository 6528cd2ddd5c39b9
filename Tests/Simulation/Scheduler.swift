import TestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs everything of one world on one thread: of the jobs that are ready a seeded generator picks
/// the next, and when none is, the time jumps to the next timer.
///
/// Unchecked because nothing is guarded by a lock: whatever touches it runs on the one thread that
/// made it, and `enqueue` stops the process when a job comes from another.
package final class Scheduler: @unchecked Sendable {
  private struct Ready {
    var job: UnownedJob
    /// The actor's executor that the job belongs to; nil for jobs of no actor.
    var lane: Lane?
  }

  private struct Timer {
    var deadline: Int64
    var key: Int
    var fire: () -> Void
  }

  /// The time since the world began, in microseconds.
  package private(set) var now: Int64 = 0
  /// Jobs that were run.
  package private(set) var steps = 0

  private var ready: [Ready] = []
  private var timers: [Timer] = []
  private var lastKey = 0
  private var draws: SeededGenerator
  private let thread = pthread_self()
  private lazy var tasks = TaskLane(self)

  package init(seed: UInt64) {
    draws = SeededGenerator(seed: seed)
  }

  /// Where tasks are started, with their children.
  package var taskExecutor: any TaskExecutor { tasks }

  /// An executor for one actor.
  package func makeLane() -> any SerialExecutor { Lane(self) }

  /// Starts a task; it runs once the scheduler does.
  @discardableResult
  package func start<Result: Sendable>(
    _ body: @escaping @Sendable () async -> Result
  ) -> Task<Result, Never> {
    Task(executorPreference: tasks) { await body() }
  }

  fileprivate func enqueue(_ job: UnownedJob, on lane: Lane?) {
    precondition(
      pthread_equal(pthread_self(), thread) != 0, "a job came from outside the simulation")
    ready.append(Ready(job: job, lane: lane))
  }

  /// Runs until there is no job and no timer, or `isOver` says so.
  ///
  /// - Returns: whether it was over.
  package func run(until isOver: () -> Bool) -> Bool {
    let executor = tasks.asUnownedTaskExecutor()
    while !isOver() {
      guard !ready.isEmpty else {
        guard fireNext() else { return false }
        continue
      }
      steps += 1
      let index = ready.count == 1 ? 0 : Int.random(in: 0..<ready.count, using: &draws)
      ready.swapAt(index, ready.count - 1)
      let next = ready.removeLast()
      if let lane = next.lane {
        next.job.runSynchronously(
          isolatedTo: lane.asUnownedSerialExecutor(), taskExecutor: executor)
      } else {
        next.job.runSynchronously(on: executor)
      }
    }
    return true
  }

  // MARK: Timers

  /// - Returns: a key that takes the timer back.
  func after(_ deadline: Int64, _ fire: @escaping () -> Void) -> Int {
    lastKey += 1
    timers.append(Timer(deadline: max(deadline, now), key: lastKey, fire: fire))
    return lastKey
  }

  func cancel(_ key: Int) {
    timers.removeAll { $0.key == key }
  }

  private func fireNext() -> Bool {
    guard
      let next = timers.indices.min(by: {
        (timers[$0].deadline, timers[$0].key) < (timers[$1].deadline, timers[$1].key)
      })
    else { return false }
    let timer = timers.remove(at: next)
    now = max(now, timer.deadline)
    timer.fire()
    return true
  }
}

/// One actor's executor.
///
/// Unowned by its jobs' queue but kept alive by its actor and the scheduler's queue.
private final class Lane: SerialExecutor {
  private let scheduler: Scheduler

  init(_ scheduler: Scheduler) {
    self.scheduler = scheduler
  }

  func enqueue(_ job: consuming ExecutorJob) {
    scheduler.enqueue(UnownedJob(job), on: self)
  }
}

/// Where tasks run that are on no actor.
private final class TaskLane: TaskExecutor {
  private unowned let scheduler: Scheduler

  init(_ scheduler: Scheduler) {
    self.scheduler = scheduler
  }

  func enqueue(_ job: consuming ExecutorJob) {
    scheduler.enqueue(UnownedJob(job), on: nil)
  }
}
