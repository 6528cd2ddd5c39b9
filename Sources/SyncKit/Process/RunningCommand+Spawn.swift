internal import CSpawn

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension RunningCommand {
  /// The ends of the pipes that the child is given.
  struct ChildEnds {
    /// nil for `/dev/null`.
    var input: Int32?
    var output: Int32
    /// Whether errors go where the output goes.
    var takesErrors: Bool
  }

  /// - Throws: `ChildCommand.Failure` with the system's reason.
  static func spawn(
    _ command: ChildCommand, _ ends: ChildEnds
  ) throws(ChildCommand.Failure) -> pid_t {
    guard let program = command.arguments.first else { throw ChildCommand.Failure(code: ENOENT) }
    #if canImport(Glibc)
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
      let flags = Int32(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
    #else
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
      let flags =
        POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        | POSIX_SPAWN_CLOEXEC_DEFAULT
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    if let input = ends.input {
      posix_spawn_file_actions_adddup2(&actions, input, 0)
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, ends.output, 1)
    if ends.takesErrors {
      posix_spawn_file_actions_adddup2(&actions, ends.output, 2)
    } else {
      posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    }
    // Sockets that a service manager handed over stay open across exec, and are not for the child.
    #if canImport(Glibc)
      syncd_spawn_closing_from(&actions, 3)
    #endif
    if let directory = command.directory { syncd_spawn_in(&actions, directory) }
    var none = sigset_t()
    var every = sigset_t()
    sigemptyset(&none)
    sigfillset(&every)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &every)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))
    var pid: pid_t = 0
    let code = withCStrings(command.arguments) { argv in
      withCStrings(command.environment) { environment in
        posix_spawnp(&pid, program, &actions, &attributes, argv, environment)
      }
    }
    guard code == 0 else { throw ChildCommand.Failure(code: code) }
    return pid
  }

  /// A pipe that children inherit by name only.
  static func makePipe() throws(ChildCommand.Failure) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard syncd_pipe(&ends) == 0 else { throw ChildCommand.Failure(code: errno) }
    return (ends[0], ends[1])
  }
}

/// Hands over the texts as C has them: an array that ends with NULL.
private func withCStrings<Result>(
  _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let copies = texts.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return body(copies + [nil])
}
