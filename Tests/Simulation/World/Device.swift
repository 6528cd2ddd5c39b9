import SyncKit

/// A device: its clock, its disk, and what runs on it, if it is up.
///
/// Unchecked: it lives on the scheduler's thread alone.
final class Device: @unchecked Sendable {
  let index: Int
  let clock: DeviceClock
  let volume: Volume
  /// Whether it follows the remote, and nobody writes on it.
  let isFollower: Bool
  /// Whether it only sends.
  let isPusher: Bool
  private(set) var disk: Disk
  private(set) var boot: Boot?
  /// Starts that ended by a crash, whose tasks may not have noticed.
  private(set) var ended: [Boot] = []
  /// What the store was seen to hold since it was last put back.
  var held: Set<Row> = []
  /// A copy of the store's file from before.
  var backup: Folder?

  private var visitor: Database?
  private unowned let world: World
  private var diskCount: UInt64 = 0

  init(_ index: Int, _ world: World) {
    (self.index, self.world) = (index, world)
    isFollower = index >= world.setup.devices
    isPusher = !isFollower && index >= world.setup.devices - world.setup.pushers
    clock = DeviceClock(world.scheduler)
    volume = Volume(clock: clock)
    let folder = Folder()
    folder.write("", Template.bytes)
    disk = Disk(folder, seed: 0)
    insert(folder)
  }

  var isUp: Bool { boot != nil }

  /// Starts, if it is down. A crash that comes while it starts has it start again later.
  func start() {
    guard boot == nil else { return }
    let disk = disk
    do {
      let boot = try Boot(self, world)
      guard !disk.isDead else { return ended.append(boot) }
      boot.transport.onCrash = { [unowned self] in crash() }
      self.boot = boot
      world.mutant.prepare(self)
    } catch {
      guard !disk.isDead else { return }
      world.report("opening", "device \(index) cannot open its store: \(error)")
    }
  }

  /// Ends everything that runs, with nothing written from now on.
  ///
  /// - Parameter folder: what the device finds when it starts again; nil for what is there now.
  func crash(finding folder: Folder? = nil) {
    guard !disk.isDead else { return }
    nextFolder = folder
    disk.crash()
  }

  private var nextFolder: Folder?
  /// Connections to disks that crashed; one of them may have been at work when it did.
  private var lastVisitors: [Database] = []

  private func crashed() {
    if let boot {
      boot.kill()
      ended.append(boot)
    }
    boot = nil
    if let visitor { lastVisitors.append(visitor) }
    visitor = nil
    world.trace.note("\(index) crashed")
    insert(nextFolder ?? disk.folder.copy())
    nextFolder = nil
    world.startLater(self)
  }

  private func insert(_ folder: Folder) {
    diskCount += 1
    disk = Disk(folder, seed: world.setup.seed &+ UInt64(index) << 32 &+ diskCount)
    disk.onCrash = { [unowned self] in crashed() }
    volume.disk = disk
  }

  /// A connection to the store's file as another program has it; it is kept open, since a schema
  /// takes long to read.
  ///
  /// - Throws: `DatabaseError`, also where there is no file.
  func visit() throws -> Database {
    if let visitor { return visitor }
    guard disk.folder.read("")?.isEmpty == false else { throw NoFile() }
    let database = try Database(
      path: disk.folder.store, busyTimeout: 0, fileSystem: volume.name)
    // A crash may have come before there were any tables.
    guard try database.integer("SELECT 1 FROM sqlite_schema WHERE name='projects'") == 1 else {
      throw NoFile()
    }
    visitor = database
    return database
  }

  private struct NoFile: Error {}

  /// Whether anything of an earlier start is still on its way out.
  var isBusy: Bool { ended.contains { $0.runsUnderWay > 0 } || (boot?.runsUnderWay ?? 0) > 0 }

  /// Closes everything.
  func end() {
    boot = nil
    ended = []
    visitor = nil
    lastVisitors = []
    volume.disk = nil
  }
}

/// An empty store's file, made once.
enum Template {
  static let bytes: [UInt8] = {
    let folder = Folder()
    _ = try? LocalStore(path: folder.store)
    return folder.read("") ?? []
  }()
}
