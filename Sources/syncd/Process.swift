#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A reader that went away is an error of `write`, never the end of the process.
func ignoreBrokenPipes() {
  signal(SIGPIPE, SIG_IGN)
}

func exitProcess(_ code: ExitCode) -> Never {
  exit(code.rawValue)
}
