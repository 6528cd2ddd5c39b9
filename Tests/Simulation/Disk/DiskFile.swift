internal import CSQLite

/// What a volume keeps behind each open file of SQLite's own.
struct FileTail {
  var standard: UnsafePointer<sqlite3_io_methods>
  var disk: Unmanaged<Disk>
  var methods: UnsafeMutablePointer<sqlite3_io_methods>
}

/// An open file on a disk that may crash: SQLite's own, some of its functions replaced.
enum DiskFile {
  typealias Pointer = UnsafeMutablePointer<sqlite3_file>

  /// Takes over a file that SQLite has just opened.
  static func take(_ file: Pointer, on disk: Disk) {
    guard let standard = file.pointee.pMethods else { return }
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: standard.pointee)
    methods.pointee.xClose = { file in
      guard let file else { return SQLITE_IOERR }
      let tail = DiskFile.tail(file)
      file.pointee.pMethods = tail.standard
      let code = tail.standard.pointee.xClose(file)
      tail.methods.deallocate()
      tail.disk.release()
      return code
    }
    methods.pointee.xRead = { file, buffer, count, offset in
      guard let file else { return SQLITE_IOERR }
      let tail = DiskFile.tail(file)
      guard !tail.disk._withUnsafeGuaranteedRef({ $0.isDead }) else { return SQLITE_IOERR }
      return tail.standard.pointee.xRead(file, buffer, count, offset)
    }
    methods.pointee.xWrite = { file, buffer, count, offset in
      guard let file else { return SQLITE_IOERR }
      let tail = DiskFile.tail(file)
      return tail.disk._withUnsafeGuaranteedRef { disk in
        disk.write(count) { tail.standard.pointee.xWrite(file, buffer, $0, offset) }
      }
    }
    methods.pointee.xTruncate = { file, size in
      guard let file else { return SQLITE_IOERR }
      let tail = DiskFile.tail(file)
      return tail.disk._withUnsafeGuaranteedRef { disk in
        disk.change { tail.standard.pointee.xTruncate(file, size) }
      }
    }
    methods.pointee.xSync = { file, _ in
      guard let file else { return SQLITE_IOERR }
      // Nothing is lost with the power here, so there is nothing to wait for.
      return DiskFile.tail(file).disk._withUnsafeGuaranteedRef { $0.change { SQLITE_OK } }
    }
    let tail = FileTail(
      standard: standard, disk: Unmanaged.passRetained(disk), methods: methods)
    place(of: file).initialize(to: tail)
    file.pointee.pMethods = UnsafePointer(methods)
  }

  private static let standardSize = Int(sqlite3_vfs_find(Volume.standard)?.pointee.szOsFile ?? 0)

  private static func place(of file: Pointer) -> UnsafeMutablePointer<FileTail> {
    (UnsafeMutableRawPointer(file) + standardSize).assumingMemoryBound(to: FileTail.self)
  }

  private static func tail(_ file: Pointer) -> FileTail { place(of: file).pointee }
}
