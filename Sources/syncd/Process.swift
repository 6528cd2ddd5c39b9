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

func endProcess(_ ending: CommandLineTool.Ending) -> Never {
  switch ending {
  case .exit(let code): exit(code.rawValue)
  case .signal(let number):
    Signals.raiseAgain(number)
    exit(128 + number)
  }
}
