import Testing

@testable import syncd

@Suite("Records of a file that comes in pieces")
struct RecordSourceTests {
  /// With pieces this small, whoever copies what has come for each of them copies terabytes.
  private static let piece = 8

  @Test(
    "a long record is gathered once, not copied for every piece", arguments: ExchangeFormat.allCases
  )
  func longRecord(format: ExchangeFormat) throws {
    let body = [UInt8](repeating: UInt8(ascii: "x"), count: 3 << 20)
    let text: [UInt8] =
      switch format {
      case .json: Array(#"[{"id":"a","body":""#.utf8) + body + Array("\"}]".utf8)
      case .ndjson: Array(#"{"id":"a","body":""#.utf8) + body + Array("\"}\n".utf8)
      case .csv: Array("id,body\na,".utf8) + body + Array("\n".utf8)
      }
    var source = RecordSource(format)
    var sizes: [Int] = []
    for start in stride(from: 0, to: text.count, by: Self.piece) {
      let piece = Array(text[start..<min(start + Self.piece, text.count)])
      try source.consume(piece) { sizes.append(try $0.json.get().count) }
    }
    try source.finish { sizes.append(try $0.json.get().count) }
    #expect(sizes.count == 1)
    #expect(sizes.allSatisfy { (body.count...body.count + 40).contains($0) })
  }
}
