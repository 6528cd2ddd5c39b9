#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A reader that went away is an error of `write`, never the end of the process.
func ignoreBrokenPipes() {
  signal(SIGPIPE, SIG_IGN)
}

func endProcess(_ ending: CommandLineTool.Ending) -> Never {
  switch ending {
  case .exit(let code): exit(code.rawValue)
  case .signal(let number):
    Signals.raiseAgain(number)
    exit(128 + number)
  }
}
