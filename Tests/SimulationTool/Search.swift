import Simulation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Lets the worlds of many seeds happen, one after the other. Several processes take a part each: threads
/// of one would wait for one another in SQLite and in malloc, and take twice as long.
struct Search {
  private let options: Options
  private var failing: [Outcome] = []
  private var done: UInt64 = 0
  private var tally = World.Tally()

  init(_ options: Options) {
    self.options = options
  }

  /// - Returns: the exit code: 1 when a seed failed.
  mutating func run() -> Int32 {
    let started = ContinuousClock.now
    for seed in options.first..<options.first + options.seeds where failing.count < options.failures
    {
      live(seed)
    }
    let seconds = (ContinuousClock.now - started) / .seconds(1)
    for outcome in failing { describe(outcome) }
    print(
      "\(done) seeds, \(failing.count) failed; \(tally.runs) runs,"
        + " \(tally.requests) requests, \(tally.changes) changes, \(tally.crashes) crashes,"
        + " \(tally.refused) refused, \(tally.steps) steps in \((seconds * 10).rounded() / 10) s")
    return failing.isEmpty ? 0 : 1
  }

  private mutating func live(_ seed: UInt64) {
    let outcome = simulate(
      Schedule(seed: seed, devices: options.devices, events: options.events))
    done += 1
    tally.add(outcome.tally)
    if !outcome.isSound {
      failing.append(outcome)
      print("seed \(seed) fails: \(outcome.violations.map(\.rule))")
    }
    if done % 1000 == 0 { print("\(done) of \(options.seeds)") }
    fflush(nil)
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
