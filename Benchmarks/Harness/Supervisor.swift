#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs the bench in a process group of its own, and whatever becomes of it (an error, a signal, the
/// time being up) ends every process of that group and removes the folder.
enum Supervisor {
  /// Seconds that everything may take.
  private static let limit: UInt32 = 2700
  private static let quickLimit: UInt32 = 300
  /// A file system in memory, where the system has one.
  private static let memory = "/dev/shm"

  /// - Returns: the exit status.
  static func run(_ words: [String], options: Options) throws -> Int32 {
    let folder = try Files.makeTemporaryFolder(in: options.parent)
    defer { Files.removeFolder(folder) }
    let memory = try? Files.makeTemporaryFolder(in: Self.memory)
    defer { if let memory { Files.removeFolder(memory) } }
    var awaited = sigset_t()
    sigemptyset(&awaited)
    for number in [SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGALRM] { sigaddset(&awaited, number) }
    sigprocmask(SIG_BLOCK, &awaited, nil)
    let pid = try start([CommandLine.arguments[0], "supervised", folder, memory ?? ""] + words)
    defer { kill(-pid, SIGKILL) }
    alarm(options.isQuick ? quickLimit : limit)

    while true {
      var number: Int32 = 0
      sigwait(&awaited, &number)
      guard number == SIGCHLD else {
        let isLate = number == SIGALRM
        Console.complain("syncd-bench: " + (isLate ? "the time is up" : "stopped"))
        return 128 + number
      }
      var status: Int32 = 0
      guard waitpid(pid, &status, WNOHANG) == pid else { continue }
      return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }
  }

  private static func start(_ arguments: [String]) throws -> pid_t {
    #if canImport(Glibc)
      var attributes = posix_spawnattr_t()
    #else
      var attributes: posix_spawnattr_t?
    #endif
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var pid: pid_t = 0
    let code = posix_spawnp(&pid, arguments[0], nil, &attributes, words, environ)
    guard code == 0 else { throw BenchError("\(arguments[0]): \(String(cString: strerror(code)))") }
    return pid
  }
}
