/// `time SECONDS OUTPUT PROGRAM WORD…`: runs any program and prints what it took, for the peers.
/// One that does not end in time is killed, and its status is 124.
enum TimedCommand {
  static func run(_ words: [String]) throws {
    guard words.count >= 3, let seconds = Int32(words[0]), (1...3600).contains(seconds) else {
      throw BenchError("usage: time SECONDS OUTPUT PROGRAM WORD…")
    }
    let process = try ChildProcess(Array(words.dropFirst(2)), output: words[1], errors: words[1])
    guard let (usage, status) = try? process.wait(seconds: seconds) else {
      return print("{\"status\":124}")
    }
    print(
      "{\"status\":\(status),\"wall\":\(usage.wall),\"cpu\":\(usage.cpu),\"peak\":\(usage.peak)}")
  }
}
