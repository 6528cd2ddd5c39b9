import Testing

@testable import syncd

@Suite("Import and export")
struct ImportExportTests {
  @Test(
    "what was exported is imported unchanged, in every format", arguments: ExchangeFormat.allCases)
  func roundTrip(format: ExchangeFormat) async throws {
    try await withTemporaryDirectory { directory in
      let (one, two) = (directory + "/1.db", directory + "/2.db")
      let file = directory + "/projects." + format.rawValue
      _ = await syncd("add", "A, \"B\"", "--store", one, "--extra", #"{"n":1.10,"o":{"p":[1]}}"#)
      _ = await syncd("add", "é\nz", "--store", one, "--due", "2026-12-01", "--body", "x;y")
      let exported = await syncd("export", file, "--store", one)
      #expect(exported.out == "exported 2 projects to \(file)\n")
      #expect(FileContents.mode(of: file) == 0o600)
      #expect(!FileContents.exists(file + ".partial"))
      let imported = await syncd("import", file, "--store", two)
      #expect(imported.code == 0)
      #expect(imported.out == "imported 2 projects\n")
      #expect(
        await syncd("list", "--json", "--store", two).out
          == syncd("list", "--json", "--store", one).out)
      #expect(
        await syncd("import", file, "--store", two).out
          == "imported 0 projects; skipped 2 there already (see --replace)\n")
      #expect(
        await syncd("import", "--replace", file, "--store", two).out
          == "imported 0 projects; 2 unchanged\n")
    }
  }

  @Test("a file whose name tells no known format is not written, unless --format is given")
  func unknownFormat() async throws {
    try await withTemporaryDirectory { directory in
      let store = directory + "/p.db"
      _ = await syncd("add", "A", "--store", store)
      for name in ["p.xml", "p", "p.json.gz"] {
        let file = directory + "/" + name
        let outcome = await syncd("export", file, "--store", store)
        #expect(outcome.code == 2, "\(name)")
        #expect(outcome.err.contains("json, ndjson, csv"), "\(outcome.err)")
        #expect(!FileContents.exists(file))
        #expect(await syncd("export", file, "--format", "csv", "--store", store).code == 0)
        let text = try FileContents.text(of: file)
        #expect(text.hasPrefix("id,title"))
      }
    }
  }

  @Test("records that cannot be read are named, the others imported, exit 1")
  func faultyRecords() async throws {
    try await withTemporaryDirectory { directory in
      let file = directory + "/p.ndjson"
      try FileContents.create(
        file, text: "{\"title\":\"A\"}\nnonsense\n{\"id\":7}\n{\"title\":\"B\"}\n")
      let outcome = await syncd("import", file, "--store", directory + "/p.db", "--json")
      #expect(outcome.code == 1)
      #expect(outcome.out == #"{"imported":2,"skipped":0,"failed":2}"# + "\n")
      #expect(outcome.err.contains("\(file): line 2: "))
      #expect(outcome.err.contains("\(file): line 3: "))
    }
  }

  @Test("a list that breaks off is imported as far as it goes, and said to have broken off")
  func brokenOff() async throws {
    try await withTemporaryDirectory { directory in
      let file = directory + "/p.json"
      try FileContents.create(file, text: "[{\"title\":\"A\"},{\"title\":\"B\"}")
      let outcome = await syncd("import", file, "--store", directory + "/p.db")
      #expect(outcome.code == 1)
      #expect(outcome.out == "imported 2 projects\n")
      #expect(outcome.err.contains("what stands before it was imported"))
    }
  }

  @Test("imported projects keep the order of their file")
  func order() async throws {
    try await withTemporaryDirectory { directory in
      let file = directory + "/p.csv"
      let titles = (0..<50).map { "T\($0)" }
      try FileContents.create(file, text: (["title"] + titles).joined(separator: "\n"))
      let store = directory + "/p.db"
      _ = await syncd("import", file, "--store", store)
      let listed = await syncd("list", "--store", store).out.split(separator: "\n")
        .compactMap { $0.split(separator: " ").last.map(String.init) }
      #expect(listed == titles)
    }
  }
}
