#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The file beside a store, `<store>.lock`: who runs with it, and how the last run left it.
///
/// It is written in place, never replaced, since the lock hangs on the file itself. It is a help: where it
/// is missing or cannot be read it says nothing, and the store is believed.
struct StoreSidecar: Sendable {
  let path: String

  init(storePath: String) {
    path = storePath + ".lock"
  }

  struct Contents: Equatable {
    /// The run that holds the lock, or held it last when it was killed.
    var holder: StoreLock.Holder?
    /// The id of the store that lies beside it.
    var store: String?
    /// The lineage tokens that the store may have: its own, and the one it is about to take.
    var lineage: [String] = []
    /// The store's file as the last run left it.
    var file: FileState?
    /// The number of the store's last change then.
    var sequence: Int64?
    /// When the file had last been written that every page was last looked at of: nanoseconds since
    /// 1970.
    var checked: Int64?
  }

  func read() -> Contents {
    guard let bytes = FileSystem.read(path), !bytes.isEmpty else { return Contents() }
    return Contents(json: bytes)
  }

  /// Changes what the file says.
  ///
  /// - Parameter durably: whether it must be on the disk when this returns.
  /// - Returns: false when it could not be written.
  @discardableResult
  func update(durably: Bool = false, _ change: (inout Contents) -> Void) -> Bool {
    let before = read()
    var after = before
    change(&after)
    if after == before, !durably { return true }
    return FileSystem.overwrite(path, with: after.json, durably: durably)
  }

  /// Changes what the file says, unless a run holds the lock: that has the last word.
  func updateUnlessHeld(_ change: (inout Contents) -> Void) {
    guard let descriptor = FileSystem.open(path, O_RDWR | O_CREAT) else { return }
    defer { close(descriptor) }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { update(change) }
  }
}

extension StoreSidecar.Contents {
  fileprivate var json: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(json: "{")
    bytes.appendMember("pid", raw: holder.map { String($0.pid) } ?? "null", first: true)
    bytes.appendMember("since", string: holder?.since.description)
    bytes.appendMember("store", string: store)
    bytes.appendMember(
      "lineage", raw: "[" + lineage.map { "\"\($0)\"" }.joined(separator: ",") + "]")
    if let file {
      bytes.appendMember("inode", raw: String(file.inode))
      bytes.appendMember("size", raw: String(file.size))
      bytes.appendMember("modified", raw: String(file.modified))
    }
    if let sequence { bytes.appendMember("sequence", raw: String(sequence)) }
    if let checked { bytes.appendMember("checked", raw: String(checked)) }
    bytes.append(json: "}\n")
    return bytes
  }

  fileprivate init(json: [UInt8]) {
    var members: [String: String] = [:]
    var tokens: [String] = []
    let reader = JSONScanner(json)
    var scanner = reader
    do {
      try scanner.scanObject { (key, value) throws(JSONError) in
        let name = try reader.string(at: key)
        if name == "lineage" {
          tokens = reader.text(at: value).split(whereSeparator: { "[]\", ".contains($0) }).map(
            String.init)
        } else if reader.kind(of: value) == .string {
          members[name] = try reader.string(at: value)
        } else {
          members[name] = reader.text(at: value)
        }
      }
    } catch {
      return
    }
    store = members["store"].flatMap { $0 == "null" ? nil : $0 }
    lineage = tokens
    sequence = members["sequence"].flatMap { Int64($0) }
    checked = members["checked"].flatMap { Int64($0) }
    if let pid = members["pid"].flatMap({ Int32($0) }),
      let since = members["since"].flatMap({ Timestamp(rfc3339: $0) })
    {
      holder = StoreLock.Holder(pid: pid, since: since)
    }
    if let inode = members["inode"].flatMap({ UInt64($0) }),
      let size = members["size"].flatMap({ Int64($0) }),
      let modified = members["modified"].flatMap({ Int64($0) })
    {
      file = FileState(inode: inode, size: size, modified: modified)
    }
  }
}
