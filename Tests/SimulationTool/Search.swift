import Simulation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Lets the worlds of many seeds happen, some at a time, each on a thread of its own.
final class Search: Sendable {
  private struct State {
    var next: UInt64
    var done: UInt64 = 0
    var failing: [Outcome] = []
    var runs = 0
    var requests = 0
    var crashes = 0
    var changes = 0
    var steps = 0
    var refused = 0
  }

  private let options: Options
  private let state: Mutex<State>

  init(_ options: Options) {
    self.options = options
    state = Mutex(State(next: options.first))
  }

  /// - Returns: the exit code: 1 when a seed failed.
  func run() -> Int32 {
    let started = ContinuousClock.now
    let threads = (0..<options.workers).map { _ in start() }
    for thread in threads { pthread_join(thread, nil) }
    let state = state.withLock { $0 }
    let seconds = (ContinuousClock.now - started) / .seconds(1)
    for outcome in state.failing { describe(outcome) }
    print(
      "\(state.done) seeds, \(state.failing.count) failed; \(state.runs) runs,"
        + " \(state.requests) requests, \(state.changes) changes, \(state.crashes) crashes,"
        + " \(state.refused) refused, \(state.steps) steps in \((seconds * 10).rounded() / 10) s")
    return state.failing.isEmpty ? 0 : 1
  }

  private func start() -> pthread_t {
    let context = Unmanaged.passRetained(self).toOpaque()
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    pthread_create(
      &thread, nil,
      { context in
        #if canImport(Darwin)
          let context = Optional(context)
        #endif
        guard let context else { return nil }
        Unmanaged<Search>.fromOpaque(context).takeRetainedValue().work()
        return nil
      }, context)
    #if canImport(Darwin)
      guard let thread else { preconditionFailure("no thread") }
    #endif
    return thread
  }

  private func work() {
    while let seed = take() {
      let outcome = simulate(
        Schedule(seed: seed, devices: options.devices, events: options.events))
      state.withLock { state in
        state.done += 1
        state.runs += outcome.tally.runs
        state.requests += outcome.tally.requests
        state.crashes += outcome.tally.crashes
        state.changes += outcome.tally.changes
        state.steps += outcome.tally.steps
        state.refused += outcome.tally.refused
        if !outcome.isSound {
          state.failing.append(outcome)
          print("seed \(seed) fails: \(outcome.violations.map(\.rule))")
        }
        if state.done % 1000 == 0 { print("\(state.done) of \(options.seeds)") }
        fflush(nil)
      }
    }
  }

  private func take() -> UInt64? {
    state.withLock { state in
      guard state.next < options.first + options.seeds, state.failing.count < options.failures
      else { return nil }
      defer { state.next += 1 }
      return state.next
    }
  }

  private func describe(_ outcome: Outcome) {
    print("\nseed \(outcome.schedule.setup.seed):")
    for violation in outcome.violations { print("  \(violation.rule): \(violation.detail)") }
    guard options.minimises, let minimiser = Minimiser(outcome) else { return }
    let smallest = minimiser.minimised(outcome.schedule)
    print("the least schedule that fails so; give it to --schedule FILE --verbose:\n\(smallest)")
    for violation in simulate(smallest).violations {
      print("# \(violation.rule): \(violation.detail)")
    }
  }
}

/// Says by which seed each mutant is found first, and by which rule.
///
/// - Returns: the exit code: 1 when one is not found.
func seekMutants(_ options: Options) -> Int32 {
  var code: Int32 = 0
  for mutant in Mutant.all {
    var found: Outcome?
    for seed in options.first..<options.first + options.seeds where found == nil {
      let outcome = simulate(Schedule(seed: seed), mutant: mutant)
      if !outcome.isSound { found = outcome }
    }
    guard let found else {
      print("\(mutant.name): not found")
      code = 1
      continue
    }
    let seed = found.schedule.setup.seed
    print("\(mutant.name): seed \(seed): \(found.violations.map(\.rule).joined(separator: " "))")
  }
  return code
}

/// - Returns: the exit code.
func replay(_ schedule: Schedule, _ options: Options) -> Int32 {
  let outcome = simulate(schedule, keepsLines: options.isVerbose)
  for line in outcome.lines { print(line) }
  for violation in outcome.violations { print("\(violation.rule): \(violation.detail)") }
  print("\(outcome.tally); trace \(String(outcome.hash, radix: 16))")
  return outcome.isSound ? 0 : 1
}

func readFile(_ path: String) -> String? {
  guard let file = fopen(path, "r") else { return nil }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 65_536)
  while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
    bytes += chunk[..<count]
  }
  return String(decoding: bytes, as: UTF8.self)
}
