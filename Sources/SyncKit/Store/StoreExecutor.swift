internal import Dispatch

/// One queue on which everything about one store happens, one after the other.
final class StoreExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "syncd.store")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }
}
