import SyncKit

extension World {
  func perform(_ event: Event) async {
    let device = devices[event.device % devices.count]
    if device.isFollower, event.verb != .sync { return }
    let id = Setup.ids[event.record % Setup.ids.count]
    switch event.verb {
    case .add, .edit, .remove, .recreate: await change(event, id, on: device)
    case .sqlReplace, .sqlUpdate, .sqlRename, .sqlStamp, .sqlDelete:
      visit(event, id, on: device)
    case .sync: sync(device)
    case .crash: device.crash()
    case .crashWriting: device.disk.changesLeft = Int(event.amount)
    case .crashSending:
      device.boot?.transport.requestsLeft = Int(event.amount)
      device.boot?.transport.lastIsCarriedOut = event.other % 2 == 0
    case .clock: device.clock.skew = event.amount * 1000
    case .backup:
      device.backup = device.disk.folder.copy()
      backupMoments[device.index] = ledger.changes.count
    case .restore: restore(device)
    case .lose: lose(device, withSidecar: event.amount == 1)
    case .weather: network.weather = [.calm, .rough, .storm][Int(event.amount) % 3]
    case .cutOff: network.cutOff.insert(device.index)
    case .reconnect: network.cutOff.remove(device.index)
    case .serverDown: network.isServerDown = true
    case .serverUp: network.isServerDown = false
    case .forget, .recall:
      forgetfulness += 1
      network.server.isForgetful = event.verb == .forget
    case .serverBackup: network.server.backUp()
    case .serverRestore:
      guard canTellPutBack else { return }
      network.server.putBack()
      unaware.formUnion(devices.map(\.index))
    case .resolve: await resolve(on: device, keeping: event.amount == 0 ? .local : .remote)
    }
  }

  // MARK: Through the store

  private func change(_ event: Event, _ id: ProjectID, on device: Device) async {
    guard let boot = device.boot else { return }
    let token = makeToken()
    let touched = await boot.store.touch(event, id, token: token)
    note(touched, id, token: token, on: device)
    if touched.hasFailed, device.boot === boot {
      report("edit", "device \(device.index) refused \(event): \(touched.reason)")
    }
    if device.boot === boot { look(at: device) }
  }

  private func note(_ touched: Touched, _ id: ProjectID, token: String, on device: Device) {
    guard touched.isTried else { return }
    var change = Change(
      id: id, token: token, parent: touched.before?.title, device: device.index,
      isSure: !touched.hasFailed, project: touched.after)
    if touched.deletes {
      var deletion = change
      (deletion.token, deletion.project) = (nil, nil)
      ledger.note(deletion)
      change.parent = nil
    }
    if touched.writes { ledger.note(change) }
    count { $0.changes += 1 }
  }

  /// Decides every conflict that waits, as a person does.
  func resolve(on device: Device, keeping side: Side) async {
    guard let boot = device.boot else { return }
    let reason = await boot.store.resolveAll(keeping: side)
    if let reason, device.boot === boot {
      report("resolve", "device \(device.index): \(reason)")
    }
  }

  // MARK: With plain SQL

  private func visit(_ event: Event, _ id: ProjectID, on device: Device) {
    let token = makeToken()
    let other = Setup.ids[event.other % Setup.ids.count]
    let disk = device.disk
    guard let database = try? device.visit(),
      let before = try? database.token(id),
      let target = Optional(event.verb == .sqlRename ? other : id),
      let replaced = Optional((try? database.token(target)) ?? nil)
    else {
      // There is no such row, but a new one can be made.
      guard event.verb == .sqlReplace, let database = try? device.visit() else { return }
      return write(event, id, id, token, nil, nil, database, disk, device)
    }
    write(event, id, target, token, before, replaced, database, disk, device)
  }

  private func write(
    _ event: Event, _ id: ProjectID, _ target: ProjectID, _ token: String, _ before: String?,
    _ replaced: String?, _ database: Database, _ disk: Disk, _ device: Device
  ) {
    let stamp: Int64 = event.amount == 0 ? 5 : device.clock.wall + 30 * 86_400_000_000
    let (sql, values): (String, [SQLValue]) =
      switch event.verb {
      case .sqlReplace:
        (
          "INSERT OR REPLACE INTO projects(id, title) VALUES(?, ?)",
          [.text(id.string), .text(token)]
        )
      case .sqlStamp:
        (
          "UPDATE projects SET title=?2, updated_at=?3 WHERE id=?1",
          [.text(id.string), .text(token), .integer(stamp)]
        )
      case .sqlRename:
        (
          "UPDATE OR REPLACE projects SET id=?3, title=?2 WHERE id=?1",
          [.text(id.string), .text(token), .text(target.string)]
        )
      case .sqlDelete: ("DELETE FROM projects WHERE id=?", [.text(id.string)])
      default:
        ("UPDATE projects SET title=?2 WHERE id=?1", [.text(id.string), .text(token)])
      }
    var isSure = true
    do { try database.run(sql, values) } catch {
      isSure = false
      if !disk.isDead { report("sql", "device \(device.index) refused \(event): \(error)") }
    }
    var project: Project?
    if isSure, !disk.isDead { project = try? database.project(target) }
    if event.verb == .sqlDelete || (event.verb == .sqlRename && target != id) {
      ledger.note(
        Change(id: id, token: nil, parent: before, device: device.index, isSure: isSure))
    }
    if event.verb != .sqlDelete {
      ledger.note(
        Change(
          id: target, token: token, parent: replaced, device: device.index, isSure: isSure,
          project: project))
    }
    count { $0.changes += 1 }
    if !disk.isDead { look(at: device) }
  }

  // MARK: Files

  /// Whether every device would notice that the server went back: its store remembers the version of the
  /// collection that its base is of, and no run is under way. One that was cut off since its last writes
  /// has only the base, and cannot tell a record that the server lost from one that was deleted.
  private var canTellPutBack: Bool {
    network.strays == 0
      && devices.allSatisfy { device in
        guard !device.isBusy, device.isUp, let database = try? device.visit() else { return false }
        let unsure = """
          SELECT EXISTS(SELECT 1 FROM syncd_remote r JOIN syncd_base b ON b.remote=r.key
            WHERE r.collection_version IS NULL OR CAST(trim(b.remote_version, '"') AS INTEGER)
              > CAST(substr(r.collection_version, instr(r.collection_version, '-')+1) AS INTEGER))
          """
        return (try? database.integer(unsure)) == 0
      }
  }

  /// What a store holds goes to the archive before it is replaced.
  private func archive(_ device: Device) {
    guard let database = try? device.visit() else { return }
    ledger.archive.formUnion((try? database.current) ?? [])
    ledger.archive.formUnion((try? database.superseded) ?? [])
  }

  private func restore(_ device: Device) {
    guard let backup = device.backup, let moment = backupMoments[device.index] else { return }
    replace(device, by: backup.copy(), withSidecar: true, after: moment)
  }

  private func lose(_ device: Device, withSidecar: Bool) {
    replace(device, by: Folder(), withSidecar: withSidecar, after: 0)
    backupMoments[device.index] = nil
    device.backup = nil
  }

  private func replace(
    _ device: Device, by folder: Folder, withSidecar: Bool, after moment: Int
  ) {
    archive(device)
    folder.write(".lock", withSidecar ? device.disk.folder.read(".lock") : [])
    ledger.risk(device: device.index, after: moment)
    device.held = []
    device.crash(finding: folder)
    ledger.risk(changesOf: Set(pending(on: device)))
  }
}
