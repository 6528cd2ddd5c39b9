import SyncKit
import Testing

@testable import syncd

@Suite("Import and export formats")
struct ExchangeTests {
  /// The texts of all records, however the bytes are cut, and where they stand.
  private func records(_ text: String, _ format: ExchangeFormat, chunk: Int) throws -> [String] {
    var source = RecordSource(format)
    var found: [String] = []
    let take: (RecordSource.Item) -> Void = { item in
      switch item.json {
      case .success(let json):
        found.append("\(item.place) \(String(decoding: json, as: UTF8.self))")
      case .failure: found.append("\(item.place) failed")
      }
    }
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: chunk) {
      try source.consume(Array(bytes[start..<min(bytes.count, start + chunk)]), take)
    }
    try source.finish(take)
    return found
  }

  @Test(
    "a JSON array, NDJSON and CSV come apart, wherever the bytes are cut",
    arguments: [1, 2, 7, 1000])
  func chunks(chunk: Int) throws {
    #expect(
      try records(#"[ {"a":"]"} , {"b":[1,2]} ]"#, .json, chunk: chunk)
        == [#"record 1 {"a":"]"}"#, #"record 2 {"b":[1,2]}"#])
    #expect(
      try records("{\"a\":1}\n\n{\"b\":2}\r\n{\"c\":3}", .ndjson, chunk: chunk)
        == ["line 1 {\"a\":1}", "line 3 {\"b\":2}\r", "line 4 {\"c\":3}"])
    #expect(
      try records("title,body\r\n\"a \"\"q\"\"\",\"x\ny\"\r\nb,\r\n", .csv, chunk: 1000)
        == [
          #"line 2 {"title":"a \"q\"","body":"x\ny"}"#, #"line 4 {"title":"b","body":""}"#,
        ])
  }

  @Test("spreadsheets: a byte order mark, semicolons, the store's own column names")
  func spreadsheets() throws {
    #expect(
      try records("\u{FEFF}Title;due_at;Client\nA;2026-01-01;x, y\n", .csv, chunk: 1000)
        == [#"line 2 {"title":"A","dueAt":"2026-01-01","Client":"x, y"}"#])
  }

  @Test("a row that would be read otherwise than it is written is named, and the others are read")
  func faultyRows() throws {
    #expect(
      try records("title,body,\nA,a\nB,b,,x\nC,c,x\nD,d,,\nE\n", .csv, chunk: 1000) == [
        #"line 2 {"title":"A","body":"a"}"#, "line 3 failed", "line 4 failed",
        #"line 5 {"title":"D","body":"d"}"#, #"line 6 {"title":"E"}"#,
      ])
    var source = RecordSource(.csv)
    var places: [String] = []
    let bytes = Array("title\nA\nCaf".utf8) + [0xE9] + Array("\nB\n".utf8)
    try source.consume(bytes) { item in
      switch item.json {
      case .success: places.append(item.place)
      case .failure(let error): places.append("\(item.place): \(error)")
      }
    }
    #expect(
      places == ["line 2", "line 3: not UTF-8; save the file as UTF-8", "line 4"])
  }

  @Test(
    "text that is not UTF-8 is no record in JSON either", arguments: [ExchangeFormat.json, .ndjson])
  func latin1(format: ExchangeFormat) throws {
    var source = RecordSource(format)
    let record = Array(#"{"id":"a","title":"Caf"#.utf8) + [0xE9] + Array("\"}".utf8)
    let id = try ProjectID("a")
    var isRefused = false
    do {
      let take = { (item: RecordSource.Item) throws in
        _ = try Project(json: try item.json.get(), id: { id }, updatedAt: .now)
      }
      try source.consume(format == .json ? [0x5B] + record + [0x5D] : record + [0x0A], take)
      try source.finish(take)
    } catch {
      isRefused = true
    }
    #expect(isRefused)
  }

  @Test(
    "a file that breaks off or is something else is a fault",
    arguments: [
      ("[{\"a\":1}", ExchangeFormat.json), ("<html>", .json), ("{\"a\":1}", .json),
      ("title\n\"a", .csv), ("a,b\n1,2", .csv), ("title\n\"a\"b\n", .csv),
      ("title,x,Title\na,b,c\n", .csv),
    ])
  func faults(text: String, format: ExchangeFormat) {
    #expect(throws: RecordSource.Fault.self) { try records(text, format, chunk: 1000) }
  }

  @Test("the format is told by name, then by the first byte")
  func formats() {
    #expect(ExchangeFormat(fileName: "a/B.CSV") == .csv)
    #expect(ExchangeFormat(fileName: "x.jsonl") == .ndjson)
    #expect(ExchangeFormat(fileName: "x.txt") == nil)
    #expect(ExchangeFormat(beginning: Array(" \n[".utf8)) == .json)
    #expect(ExchangeFormat(beginning: Array("{".utf8)) == .ndjson)
    #expect(ExchangeFormat(beginning: Array("title".utf8)) == nil)
  }

  @Test("a project survives JSON and CSV unchanged, numbers to the digit")
  func roundTrip() throws {
    let project = Project(
      id: try ProjectID("a,b\"c"), title: "\"Fence\", red;\nnext", body: "", state: "doing",
      dueAt: "2026-12-01", createdAt: Timestamp(microseconds: 1),
      updatedAt: Timestamp(microseconds: 1_800_000_000_000_001),
      extra: try ExtraMembers(json: #"{"cost":12345678901234567890.10,"tags":["a","b"]}"#))
    let none: () -> ProjectID = { project.id }
    let json = try Project(
      json: Array(project.json.utf8), id: none, updatedAt: Timestamp(microseconds: 0))
    #expect(json == project)
    let csv = CSVColumns.standard.joined(separator: ",") + "\n" + CSVColumns.row(project) + "\n"
    let text = try #require(try records(csv, .csv, chunk: 1000).first).dropFirst("line 2 ".count)
    let fromCSV = try Project(
      json: Array(text.utf8), id: none, updatedAt: Timestamp(microseconds: 0))
    #expect(fromCSV == project)
  }

  @Test("a record without id or stamp is given both; null counts as none")
  func supplied() throws {
    let id = try ProjectID("new")
    let stamp = Timestamp(microseconds: 5)
    for text in [#"{"title":"a"}"#, #"{"id":null,"title":"a","updatedAt":null}"#] {
      let project = try Project(json: Array(text.utf8), id: { id }, updatedAt: stamp)
      #expect(project.id == id)
      #expect(project.updatedAt == stamp)
      #expect(project.title == "a")
    }
    #expect(throws: UnreadableRecord.self) {
      try Project(json: Array("[]".utf8), id: { id }, updatedAt: stamp)
    }
    let empty = try Project(json: Array("{}".utf8), id: { id }, updatedAt: stamp)
    #expect(empty.id == id)
  }

  @Test("new ids are lower-case UUIDs of version 7 that grow with time")
  func ids() throws {
    var ids = FreshIDs(at: Timestamp(microseconds: 1_700_000_000_000_000))
    var later = FreshIDs(at: Timestamp(microseconds: 1_700_000_060_000_000))
    let made = try (0..<5000).map { _ in try ids.next() }
    #expect(zip(made, made.dropFirst()).allSatisfy { $0 < $1 })
    let early = made[0]
    #expect(try made[4999] < later.next())
    #expect(early.string.count == 36)
    let characters = Array(early.string)
    #expect(characters[14] == "7")
    #expect("89ab".contains(characters[19]))
    #expect(early.string == early.string.lowercased())
  }
}
