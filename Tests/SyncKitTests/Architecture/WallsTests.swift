import Testing

/// The walls between the rooms that the compiler does not hold.
@Suite("Walls")
struct WallsTests {
  /// The rooms of SyncKit, each with the rooms whose types it must not name.
  private static let above: [(room: String, above: [String])] = [
    ("Core", ["Hashing", "Store", "Transport", "Remote", "Connectivity", "Engine"]),
    ("Hashing", ["Store", "Transport", "Remote", "Connectivity", "Engine"]),
    ("Store", ["Transport", "Remote", "Connectivity", "Engine"]),
    ("Transport", ["Store", "Remote", "Connectivity", "Engine"]),
    ("Remote", ["Store", "Connectivity", "Engine"]),
    ("Connectivity", ["Store", "Transport", "Remote", "Engine"]),
  ]

  @Test("no file of a room names a type of a room above", arguments: above.map(\.room))
  func dependenciesPointOneWay(room: String) throws {
    let higher = Self.above.first { $0.room == room }?.above ?? []
    var foreign: [String: String] = [:]
    for other in higher {
      for file in try SourceTree("SyncKit/\(other)").files {
        for type in file.declaredTypes { foreign[type] = other }
      }
    }
    let files = try SourceTree("SyncKit/\(room)").files
    #expect(!files.isEmpty)
    for file in files {
      let named = file.identifiers.compactMap { name in foreign[name].map { "\(name) of \($0)" } }
      #expect(named.isEmpty, "\(file.path) names \(named.sorted().joined(separator: ", "))")
    }
  }

  @Test("each system library and framework is for one room alone")
  func systemLibrariesStayInTheirRooms() throws {
    for file in try SourceTree("SyncKit").files {
      if file.imports.contains("CSQLite") {
        #expect(file.path.hasPrefix("SyncKit/Store/"), "\(file.path) imports CSQLite")
      }
      if !file.imports.isDisjoint(with: ["CCurl", "CZlib"]) {
        #expect(file.path.hasPrefix("SyncKit/Transport/"), "\(file.path) imports CCurl or CZlib")
      }
      if file.imports.contains("CExpat") {
        #expect(
          file.path == "SyncKit/Remote/Listing/ExpatReader.swift", "\(file.path) imports CExpat")
      }
      if file.imports.contains("Network") {
        #expect(file.path.hasPrefix("SyncKit/Connectivity/"), "\(file.path) imports Network")
      }
    }
    for file in try SourceTree().files where file.imports.contains("CMicrohttpd") {
      #expect(file.path.hasPrefix("HTTPServer/"), "\(file.path) imports CMicrohttpd")
    }
  }

  @Test("Core imports nothing that can do I/O or tell the time")
  func coreIsPure() throws {
    for file in try SourceTree("SyncKit/Core").files {
      #expect(
        file.imports.isSubset(of: ["Synchronization"]), "\(file.path) imports \(file.imports)")
    }
    for room in ["Model", "JSON", "Reconcile"] {
      for file in try SourceTree("SyncKit/Core/\(room)").files {
        let impure = file.identifiers.intersection(["async", "Task", "Clock", "random", "Mutex"])
        #expect(impure.isEmpty, "\(file.path) uses \(impure)")
      }
    }
  }

  @Test("nobody imports the whole of Foundation")
  func foundationStaysOut() throws {
    for file in try SourceTree().files where file.imports.contains("Foundation") {
      #expect(file.imports.contains("FoundationEssentials"), "\(file.path) imports Foundation")
    }
  }

  @Test("SyncServer and syncd hold no rule of reconciliation")
  func rulesStayInOneRoom() throws {
    for file in try SourceTree("SyncServer").files + SourceTree("syncd").files {
      let rules = file.identifiers.intersection(["Reconciler", "Decision", "Planner", "PlanAction"])
      #expect(rules.isEmpty, "\(file.path) names \(rules)")
    }
  }

  @Test("no file is over 500 lines")
  func filesAreShort() throws {
    for file in try SourceTree().files {
      let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false).count
      #expect(lines <= 501, "\(file.path) has \(lines) lines")
    }
  }
}
