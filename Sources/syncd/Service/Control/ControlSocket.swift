#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where a service is asked, where nothing else was configured.
enum ControlSocket {
  /// `/run/syncd/control.sock` for root, else below `$XDG_RUNTIME_DIR`; where there is none, beside
  /// the store.
  static func path(_ environment: Environment, user: UInt32 = getuid()) -> String {
    let place: String
    if user == 0 {
      place = "/run"
    } else {
      place = environment["XDG_RUNTIME_DIR"] ?? environment.dataHome
    }
    return "\(place)/syncd/control.sock"
  }
}
