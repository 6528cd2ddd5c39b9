internal import CSQLite
import Synchronization

/// A file system for SQLite that is one device's: its clock is the device's, and its disks crash.
///
/// It is SQLite's own with a few functions replaced: those that tell the time, and, in each file
/// that is opened, those that read and change it.
final class Volume {
  let name: String
  let clock: DeviceClock
  /// The disk that files are opened on from now on.
  var disk: Disk?

  private let vfs: UnsafeMutablePointer<sqlite3_vfs>
  private let cName: UnsafeMutablePointer<CChar>

  private static let count = Atomic(0)

  /// The file system that is built upon: the one whose locks hold within a process, and whose index of
  /// the log is in memory. Nobody else opens these files.
  static let standard = "unix-excl"

  init(clock: DeviceClock) {
    self.clock = clock
    name = "syncd-simulated-\(Self.count.wrappingAdd(1, ordering: .relaxed).newValue)"
    let text = Array(name.utf8CString)
    cName = .allocate(capacity: text.count)
    cName.initialize(from: text, count: text.count)
    vfs = .allocate(capacity: 1)
    guard let standard = sqlite3_vfs_find(Volume.standard) else {
      preconditionFailure("SQLite has no VFS")
    }
    vfs.initialize(to: standard.pointee)
    vfs.pointee.pNext = nil
    vfs.pointee.zName = UnsafePointer(cName)
    vfs.pointee.szOsFile = standard.pointee.szOsFile + Int32(MemoryLayout<FileTail>.stride)
    vfs.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
    vfs.pointee.xCurrentTimeInt64 = { vfs, result in
      result?.pointee = Volume.of(vfs).julianMilliseconds
      return SQLITE_OK
    }
    vfs.pointee.xCurrentTime = { vfs, result in
      result?.pointee = Double(Volume.of(vfs).julianMilliseconds) / 86_400_000
      return SQLITE_OK
    }
    vfs.pointee.xOpen = { vfs, path, file, flags, outFlags in
      guard let file, let standard = sqlite3_vfs_find(Volume.standard),
        let open = standard.pointee.xOpen
      else { return SQLITE_CANTOPEN }
      let code = open(standard, path, file, flags, outFlags)
      if path != nil, let disk = Volume.of(vfs).disk { DiskFile.take(file, on: disk) }
      return code
    }
    // The rest is its own, which finds what it needs by its own record.
    vfs.pointee.xDelete = { _, path, syncs in
      sqlite3_vfs_find(Volume.standard).map { $0.pointee.xDelete($0, path, syncs) } ?? SQLITE_IOERR
    }
    sqlite3_vfs_register(vfs, 0)
  }

  /// Every connection must be closed by now.
  deinit {
    sqlite3_vfs_unregister(vfs)
    vfs.deallocate()
    cName.deallocate()
  }

  /// Milliseconds since noon in Greenwich on 24 November 4714 B.C.
  private var julianMilliseconds: Int64 { clock.wall / 1000 + 210_866_760_000_000 }

  private static func of(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> Volume {
    guard let data = vfs?.pointee.pAppData else { preconditionFailure("a volume without a name") }
    return Unmanaged<Volume>.fromOpaque(data).takeUnretainedValue()
  }
}
