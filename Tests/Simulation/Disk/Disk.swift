internal import CSQLite
import TestSupport

/// The disk of a device from one start to the next crash.
final class Disk {
  /// Where the store's files lie.
  let folder: Folder
  private(set) var isDead = false
  /// Writes and waits for the disk that still go through; nil for any number.
  var changesLeft: Int?
  /// Called at the very moment of the crash, once, with nothing written after it.
  var onCrash: () -> Void = {}

  private var draws: SeededGenerator

  init(_ folder: Folder, seed: UInt64) {
    self.folder = folder
    draws = SeededGenerator(seed: seed)
  }

  /// From now on nothing is read or written.
  func crash() {
    guard !isDead else { return }
    isDead = true
    onCrash()
  }

  /// Writes `count` bytes; the crash may come when some of them are written.
  func write(_ count: Int32, _ write: (Int32) -> Int32) -> Int32 {
    guard !isDead else { return SQLITE_IOERR }
    if isLast() {
      let part = Int32.random(in: 0...count, using: &draws)
      if part > 0 { _ = write(part) }
      crash()
      return SQLITE_IOERR
    }
    return write(count)
  }

  func change(_ body: () -> Int32) -> Int32 {
    guard !isDead else { return SQLITE_IOERR }
    if isLast() {
      crash()
      return SQLITE_IOERR
    }
    return body()
  }

  private func isLast() -> Bool {
    guard let left = changesLeft else { return false }
    changesLeft = left - 1
    return left <= 0
  }
}
