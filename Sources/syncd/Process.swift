#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A reader that went away is an error of `write`, never the end of the process.
func ignoreBrokenPipes() {
  signal(SIGPIPE, SIG_IGN)
}

/// Gives standard streams that are closed a place, so that no file or socket that is opened later
/// takes their numbers and is written to as output.
func openStandardStreams() {
  for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 {
    _ = open("/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY)
  }
}

/// Whether every argument is UTF-8. What is not would reach us mended, as something else.
var hasReadableArguments: Bool {
  (0..<Int(CommandLine.argc)).allSatisfy { index in
    CommandLine.unsafeArgv[index].map { String(validatingCString: $0) != nil } ?? true
  }
}

/// Ends the process at once. Handlers of `exit` do not run: OpenSSL's takes its tables down while
/// threads of ours may still be leaving, and what we write is written by then.
func endProcess(_ ending: CommandLineTool.Ending) -> Never {
  switch ending {
  case .exit(let code): _exit(code.rawValue)
  case .signal(let number):
    Signals.raiseAgain(number)
    _exit(128 + number)
  }
}

/// Lets this process open as many files as the system lets it be raised to, up to `count`: shells and
/// service managers begin with 1,024, and each connection is one.
func allowOpenFiles(_ count: Int) {
  var limit = rlimit()
  #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    let resource = RLIMIT_NOFILE
  #endif
  guard getrlimit(resource, &limit) == 0 else { return }
  let wanted = min(limit.rlim_max, rlim_t(count))
  guard wanted > limit.rlim_cur else { return }
  limit.rlim_cur = wanted
  _ = setrlimit(resource, &limit)
}
