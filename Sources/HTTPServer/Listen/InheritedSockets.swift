/// The sockets that systemd (or whoever speaks its protocol, sd_listen_fds(3)) hands over at start.
package struct InheritedSockets: Sendable, Equatable {
  package struct Socket: Sendable, Equatable {
    package let descriptor: Int32
    /// `FileDescriptorName=` of the unit; `unknown` where none is said.
    package let name: String
  }

  package let sockets: [Socket]

  /// More than these are no plausible number of sockets.
  private static let maximum = 1024
  private static let firstDescriptor: Int32 = 3

  /// Reads `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES`.
  ///
  /// - Parameters:
  ///   - process: this process's id: variables meant for another one say nothing.
  ///   - variable: looks a variable of the environment up.
  /// - Throws: `ListenError` for variables that are meant for this process and cannot be read.
  package init(process: Int32, _ variable: (String) -> String?) throws(ListenError) {
    guard let pid = variable("LISTEN_PID"), let count = variable("LISTEN_FDS") else {
      sockets = []
      return
    }
    guard let pid = Self.number(pid) else {
      throw ListenError(.configuration, "LISTEN_PID is no process id: \(pid.prefix(20))")
    }
    guard pid == Int(process) else {
      sockets = []
      return
    }
    guard let count = Self.number(count), count <= Self.maximum else {
      throw ListenError(.configuration, "LISTEN_FDS is no number of sockets: \(count.prefix(20))")
    }
    let names = variable("LISTEN_FDNAMES").map {
      $0.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    }
    if let names, names.count != count {
      throw ListenError(
        .configuration, "LISTEN_FDNAMES has \(names.count) names for \(count) sockets")
    }
    sockets = (0..<count).map { index in
      Socket(
        descriptor: Self.firstDescriptor + Int32(index), name: names?[index] ?? "unknown")
    }
  }

  /// The first socket of this name; the only one there is, whatever it is called.
  package func socket(named name: String) -> Socket? {
    sockets.first { $0.name == name } ?? (sockets.count == 1 ? sockets.first : nil)
  }

  private static func number(_ text: String) -> Int? {
    text.utf8.allSatisfy { (48...57).contains($0) } ? Int(text) : nil
  }
}
