internal import CCurl
internal import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where the figures come from.
struct Machine {
  var lines: [String]

  init(workspace: Workspace) {
    let memory = Double(sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)))
    lines = [
      "\(Self.processor), \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) cores, "
        + "\(String(memory / 1_073_741_824, decimals: 1)) GiB; load \(Self.load) at the start",
      "\(Self.kernel); temporary folders on \(Self.fileSystem(of: workspace.folder))",
      (try? workspace.output(["swift", "--version"], name: "swift-version"))?.firstLine
        ?? "swift: unknown",
      "SQLite \(String(cString: sqlite3_libversion())), \(Self.curl)",
    ]
  }

  private static var processor: String {
    let text = (try? Files.text("/proc/cpuinfo")) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last.map { String($0.dropFirst()) } ?? "unknown processor"
  }

  private static var kernel: String {
    var name = utsname()
    uname(&name)
    return withUnsafeBytes(of: name.sysname) { text($0) } + " "
      + withUnsafeBytes(of: name.release) { text($0) }
  }

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// libcurl and the TLS library under it.
  private static var curl: String {
    String(cString: curl_version()).split(separator: " ").prefix(2).joined(separator: ", ")
  }

  private static var load: String {
    var averages = [0.0, 0, 0]
    getloadavg(&averages, 3)
    return String(averages[0], decimals: 2)
  }

  /// The kind of file system of the longest mount point that begins the path.
  private static func fileSystem(of path: String) -> String {
    var found = (point: "", kind: "unknown")
    for line in ((try? Files.text("/proc/mounts")) ?? "").split(separator: "\n") {
      let fields = line.split(separator: " ").map { String($0) }
      guard fields.count > 2, fields[1].count > found.point.count else { continue }
      let isAbove = fields[1] == "/" || (path + "/").hasPrefix(fields[1] + "/")
      if isAbove { found = (fields[1], fields[2]) }
    }
    return found.kind
  }
}

extension String {
  var firstLine: String { String(prefix { $0 != "\n" }) }
}
