/// A database that has been found, or made, to be a store of ours.
struct OpenedStore {
  let path: String
  let storeID: String
  let access: LocalStore.Access
  let restored: Bool
  let sidecar: StoreSidecar?
  let database: Database

  init(inMemory access: LocalStore.Access) throws(SyncError) {
    do {
      database = try Database(path: ":memory:")
      try Migrations.store.run(on: database)
      storeID = try database.text("SELECT id FROM syncd_store") ?? ""
    } catch {
      throw SyncError(.store, "\(error)")
    }
    path = ":memory:"
    self.access = access
    restored = false
    sidecar = nil
  }

  init(
    path: String, access: LocalStore.Access, busyTimeout: Duration
  ) throws(SyncError) {
    do {
      database = try Database(path: path)
      try Migrations.store.run(on: database)
      storeID = try database.text("SELECT id FROM syncd_store") ?? ""
    } catch {
      throw SyncError(.store, "\(error)")
    }
    self.path = path
    self.access = access
    restored = false
    sidecar = StoreSidecar(storePath: path)
  }
}
