#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A terminal behind a descriptor.
struct Terminal: Sendable {
  let descriptor: Int32

  /// Nil when the descriptor is no terminal.
  init?(descriptor: Int32) {
    guard isatty(descriptor) == 1 else { return nil }
    self.descriptor = descriptor
  }

  /// Columns, 80 where the terminal does not say.
  var width: Int {
    var size = winsize()
    let request = UInt(TIOCGWINSZ)
    return ioctl(descriptor, request, &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }
}
