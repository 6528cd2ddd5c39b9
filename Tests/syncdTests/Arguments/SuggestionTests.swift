import Testing

@testable import syncd

@Suite("Did you mean")
struct SuggestionTests {
  @Test(
    "the nearest word is suggested",
    arguments: [
      ("staus", "status"), ("exprot", "export"), ("lst", "list"), ("comp", "completions"),
      ("HELP", "help"),
    ])
  func near(word: String, wanted: String) {
    #expect(nearest(to: word, among: Command.table.map(\.name)) == wanted)
  }

  @Test("nothing is suggested for a word that is far from all", arguments: ["x", "zzzzzz", ""])
  func far(word: String) {
    #expect(nearest(to: word, among: ["status", "export", "list"]) == nil)
  }

  @Test("a swap of neighbours is one edit")
  func swap() {
    #expect(editDistance(Array("once"), Array("ocne")) == 1)
    #expect(editDistance(Array(""), Array("abc")) == 3)
    #expect(editDistance(Array("kitten"), Array("sitting")) == 3)
  }
}
