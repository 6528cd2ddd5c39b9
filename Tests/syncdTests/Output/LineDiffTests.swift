import Testing

@testable import syncd

@Suite("The lines that differ")
struct LineDiffTests {
  private func diff(_ old: [String], _ new: [String]) -> [LineDiff.Line] {
    LineDiff(from: old.joined(separator: "\n"), to: new.joined(separator: "\n")).lines
  }

  @Test("are shown with two equal lines around them, and how many are left out")
  func context() {
    let old = (1...9).map(String.init)
    var new = old
    new[4] = "five"
    #expect(
      diff(old, new) == [
        .skipped(2), .same("3"), .same("4"), .gone("5"), .new("five"), .same("6"), .same("7"),
        .skipped(2),
      ])
  }

  @Test("at the ends, in a text that was empty, and between texts that are equal")
  func ends() {
    #expect(diff(["a", "b"], ["b"]) == [.gone("a"), .same("b")])
    #expect(diff(["a"], ["a", ""]) == [.same("a"), .new("")])
    #expect(LineDiff(from: "", to: "a\nb").lines == [.new("a"), .new("b")])
    #expect(LineDiff(from: "a", to: "").lines == [.gone("a")])
    #expect(diff(["a", "b"], ["a", "b"]) == [.skipped(2)])
  }

  @Test("are compared by their bytes")
  func bytes() {
    #expect(diff(["\u{E9}"], ["e\u{301}"]) == [.gone("\u{E9}"), .new("e\u{301}")])
  }

  @Test("of two long texts without a line in common are all of them")
  func long() {
    let old = (0..<4000).map { "old \($0)" }
    let new = (0..<4000).map { "new \($0)" }
    #expect(diff(old, new).count == 8000)
  }
}
