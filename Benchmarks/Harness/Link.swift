#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `link MS`, started in a network namespace of its own: a link between a client's side and a
/// server's that delays every packet by so many milliseconds.
///
/// Where the kernel has netem, that delays the namespace's loopback interface, and both sides are in
/// it. Where not, the sides are two namespaces, each with a tunnel device, and `link-far` carries
/// the packets from one device to the other. Both sides are loopback addresses, so that what a
/// client or a server refuses to other machines does not come into it. Prints
/// `link MEANS NEAR-PID FAR-PID SERVER-ADDRESS` once it is up.
enum Link {
  private static let near = "127.0.0.1"
  private static let far = "127.0.0.2"

  static func run(_ words: [String]) throws {
    guard words.count == 1, let delay = Int32(words[0]) else {
      throw BenchError("usage: link MILLISECONDS")
    }
    try call(["ip", "link", "set", "lo", "up"])
    let netem = ["tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "\(delay)ms"]
    if (try? call(netem + ["limit", "100000"])) != nil {
      say("link netem \(getpid()) \(getpid()) \(near)")
      while true { pause() }
    }
    let device = try Self.device("near", address: near, peer: far)
    let far = try ChildProcess(
      [
        "unshare", "--net", CommandLine.arguments[0], "link-far", String(device), String(delay),
        String(getpid()),
      ], output: nil, errors: nil)
    _ = try far.wait(seconds: .max / 1000)
  }

  /// `link-far DEVICE MS NEAR-PID`, in the server's namespace, with the client's device open.
  static func runFar(_ words: [String]) throws {
    guard words.count == 3, let other = Int32(words[0]), let delay = Int64(words[1]),
      let near = Int32(words[2])
    else {
      throw BenchError("usage: link-far DEVICE MILLISECONDS NEAR-PID")
    }
    let device = try Self.device("far", address: far, peer: Self.near)
    var lanes = [
      Lane(from: device, to: other, delay: delay), Lane(from: other, to: device, delay: delay),
    ]
    say("link relay \(near) \(getpid()) \(far)")
    while getppid() == near {
      var watched = lanes.map { pollfd(fd: $0.from, events: Int16(POLLIN), revents: 0) }
      let now = Lane.now
      let due = lanes.compactMap(\.due).min()
      let wait = due.map { Int32(max(0, ($0 - now + 999) / 1000)) } ?? 1000
      poll(&watched, nfds_t(watched.count), wait)
      for index in lanes.indices { lanes[index].carry() }
    }
  }

  /// Makes a tunnel device that reaches `peer`, and everything about it in this namespace.
  private static func device(_ name: String, address: String, peer: String) throws -> Int32 {
    let descriptor = open("/dev/net/tun", O_RDWR | O_NONBLOCK)
    guard descriptor >= 0 else { throw BenchError("/dev/net/tun: \(Files.lastError)") }
    var request = [UInt8](repeating: 0, count: 40)
    request.replaceSubrange(0..<name.utf8.count, with: name.utf8)
    let flags: UInt16 = 0x1001  // IFF_TUN | IFF_NO_PI
    request[16] = UInt8(flags & 0xFF)
    request[17] = UInt8(flags >> 8)
    let setInterface: UInt = 0x4004_54CA
    let code = request.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { ioctl(descriptor, setInterface, $0) } ?? -1
    }
    guard code == 0 else { throw BenchError("a tunnel device: \(Files.lastError)") }
    try Files.overwrite("1", "/proc/sys/net/ipv4/conf/all/route_localnet")
    for words in [
      "link set lo up", "addr del 127.0.0.1/8 dev lo", "addr add \(address)/32 dev \(name)",
      "link set \(name) up txqueuelen 10000", "route add \(peer) dev \(name) src \(address)",
    ] {
      try call(["ip"] + words.split(separator: " ").map { String($0) })
    }
    return descriptor
  }

  private static func call(_ words: [String]) throws {
    let process = try ChildProcess(words, output: "/dev/null", errors: "/dev/null")
    let status = try process.wait(seconds: 10).status
    guard status == 0 else { throw BenchError("\(words.joined(separator: " ")): exit \(status)") }
  }

  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}

/// Packets on their way in one direction.
private struct Lane {
  let from: Int32
  private let to: Int32
  private let delay: Int64
  private var packets: [(due: Int64, bytes: [UInt8])] = []
  private var sent = 0
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  init(from: Int32, to: Int32, delay: Int64) {
    (self.from, self.to, self.delay) = (from, to, delay * 1000)
  }

  /// When the next packet has arrived, in microseconds; nil where none is on its way.
  var due: Int64? { sent < packets.count ? packets[sent].due : nil }

  /// Takes in what has come, and gives out what has arrived.
  mutating func carry() {
    while true {
      let count = read(from, &buffer, buffer.count)
      guard count > 0 else { break }
      packets.append((Self.now + delay, Array(buffer[..<count])))
    }
    while let due, due <= Self.now {
      _ = write(to, packets[sent].bytes, packets[sent].bytes.count)
      sent += 1
    }
    if sent == packets.count || sent > 4096 {
      packets.removeFirst(sent)
      sent = 0
    }
  }

  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }
}
