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
