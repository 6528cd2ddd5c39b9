#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `load URL CLIENTS SECONDS`: so many clients, each with a connection of its own and one edit a
/// second of a record of its own, spread evenly over the second. An edit's time runs from the moment
/// it was due, so that a server that stalls is not let off what waited meanwhile. At the end
/// everything is read back. Prints one JSON object.
enum Load {
  static func run(_ words: [String]) throws {
    guard words.count == 3, let count = Int(words[1]), let seconds = Int(words[2]), count > 0,
      (1...60).contains(seconds)
    else { throw BenchError("usage: load URL CLIENTS SECONDS") }
    signal(SIGPIPE, SIG_IGN)
    try raiseFileLimit(to: count + 64)
    let target = try Endpoint(words[0])
    var crowd = Crowd(target: target, count: count)
    let elapsed = try crowd.run(edits: count * seconds)
    let lost = try crowd.lost(url: words[0])
    let times = crowd.times.sorted()
    func quantile(_ share: Double) -> String {
      String(times.isEmpty ? 0 : times[min(times.count - 1, Int(share * Double(times.count)))])
    }
    print(
      "{\"outcome\":\"inSync\",\"requests\":\(times.count),\"asked\":\(count * seconds),"
        + "\"elapsed\":\(elapsed),\"p50\":\(quantile(0.5)),\"p99\":\(quantile(0.99)),"
        + "\"most\":\(quantile(1)),\"refused\":\(crowd.refused),\"lost\":\(lost),"
        + "\"unanswered\":\(crowd.unanswered)}")
  }

  private static func raiseFileLimit(to count: Int) throws {
    var limit = rlimit()
    #if canImport(Glibc)
      let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let kind = RLIMIT_NOFILE
    #endif
    getrlimit(kind, &limit)
    guard limit.rlim_cur < count else { return }
    limit.rlim_cur = rlim_t(count)
    limit.rlim_max = max(limit.rlim_max, limit.rlim_cur)
    guard setrlimit(kind, &limit) == 0 else {
      throw BenchError("\(count) open files are not allowed here")
    }
  }
}

/// Where a server listens.
struct Endpoint {
  let host: String
  let port: UInt16
  let path: String

  init(_ url: String) throws {
    let rest = url.dropFirst("http://".count)
    let authority = rest.prefix { $0 != "/" }.split(separator: ":")
    guard authority.count == 2, let port = UInt16(authority[1]) else { throw BenchError(url) }
    (host, self.port, path) = (String(authority[0]), port, String(rest.drop { $0 != "/" }))
  }
}
