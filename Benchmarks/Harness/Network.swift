#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What lies between a client and a server.
struct Network {
  let name: String
  /// What to put before a command so that it runs on the client's side.
  let near: [String]
  /// The same for the server's side.
  let far: [String]
  /// Where servers listen.
  let address: String
  /// What delays the packets; nil where nothing does.
  var means: String?

  static let loopback = Network(name: "loopback", near: [], far: [], address: "127.0.0.1")

  /// Milliseconds that a packet takes each way over the delayed link.
  static let delay = 25

  /// Makes a link that delays what it carries, in namespaces of its own, which end with the process
  /// that is returned.
  ///
  /// - Throws: `BenchError` where the system does not let us.
  static func delayed(_ workspace: Workspace) throws -> (network: Network, process: ServerProcess) {
    guard getuid() == 0 else { throw BenchError("namespaces of the network are made by root") }
    let process = try ServerProcess(
      ["unshare", "--net", workspace.bench, "link", String(delay)], saying: "link ",
      log: "\(workspace.folder)/link.log")
    let words = process.collection.split(separator: " ").map { String($0) }
    guard words.count == 5 else { throw BenchError("the link says: \(process.collection)") }
    func enter(_ pid: String) -> [String] { ["nsenter", "--net=/proc/\(pid)/ns/net", "--"] }
    let network = Network(
      name: "+\(2 * delay) ms", near: enter(words[2]), far: enter(words[3]), address: words[4],
      means: words[1])
    return (network, process)
  }
}
