#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the kernel says of a process that runs. Zeroes where it says nothing: on Linux alone are
/// there all of them.
struct ProcessFigures {
  let pid: pid_t

  /// Seconds of processor time so far, of all its threads, to the nanosecond.
  var cpu: Double {
    #if canImport(Glibc)
      var clock = clockid_t()
      var time = timespec()
      guard clock_getcpuclockid(pid, &clock) == 0, clock_gettime(clock, &time) == 0 else {
        return 0
      }
      return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    #else
      return 0
    #endif
  }

  /// Bytes of its memory that are resident.
  var resident: Double { status("VmRSS:") }

  /// The most that were since it began, or since `forgetPeak`.
  var peak: Double { status("VmHWM:") }

  func forgetPeak() {
    try? Files.write("5", to: "/proc/\(pid)/clear_refs")
  }

  /// How often each of its threads went to sleep and was woken, by the thread's number.
  var sleeps: [String: Double] {
    let threads = (try? Files.names(in: "/proc/\(pid)/task")) ?? []
    return Dictionary(
      uniqueKeysWithValues: threads.map { thread in
        let path = "/proc/\(pid)/task/\(thread)/status"
        return (thread, Self.number("voluntary_ctxt_switches:", path))
      })
  }

  private func status(_ key: String) -> Double {
    Self.number(key, "/proc/\(pid)/status") * 1024
  }

  private static func number(_ key: String, _ path: String) -> Double {
    let lines = ((try? Files.text(path)) ?? "").split(separator: "\n")
    let words = lines.first { $0.hasPrefix(key) }?.split { $0 == " " || $0 == "\t" }
    return words.flatMap { $0.count > 1 ? Double($0[1]) : nil } ?? 0
  }
}
