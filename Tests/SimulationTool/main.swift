#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

import Simulation

#if canImport(Glibc)
  // Worlds come and go by the second: memory that is freed is wanted again at once.
  mallopt(M_TRIM_THRESHOLD, 512 << 20)
  mallopt(M_MMAP_THRESHOLD, 64 << 20)
  mallopt(M_TOP_PAD, 16 << 20)
#endif

let options: Options
do {
  options = try Options(CommandLine.arguments.dropFirst())
} catch {
  print("\(error)\n\(Options.usage)")
  exit(2)
}
if let file = options.schedule {
  guard let text = readFile(file), let schedule = Schedule(text) else {
    print("\(file): not a schedule")
    exit(2)
  }
  exit(replay(schedule, options))
}
if options.seeksMutants { exit(seekMutants(options)) }
exit(Search(options).run())
