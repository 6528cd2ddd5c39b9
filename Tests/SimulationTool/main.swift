import Simulation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
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
var search = Search(options)
exit(search.run())
