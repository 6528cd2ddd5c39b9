import SyncKit
import Testing

@testable import syncd

@Suite("Text for people")
struct TextTests {
  @Test("columns are aligned by width, not by count of characters")
  func alignment() {
    var table = Table(["ID", "TITLE"])
    table.add(["a", "x"])
    table.add(["프로젝트", "y"])
    table.add(["🗓", ""])
    #expect(table.lines() == ["ID        TITLE", "a         x", "프로젝트  y", "🗓"])
  }

  @Test("the last column is cut at the terminal's width")
  func cut() {
    var table = Table(["ID", "TITLE"])
    table.add(["1", "a title that is much too long"])
    #expect(table.lines(width: 16)[1] == "1   a title tha…")
    #expect("프로젝트".cut(to: 5) == "프로…")
  }

  @Test("nothing in a title can move the cursor, ring, or turn the writing around")
  func printable() {
    #expect(
      "a\u{1B}[2Jb\u{7}\nc\u{202E}d\u{9B}e".printable == "a\u{FFFD}[2Jb\u{FFFD} c\u{FFFD}d\u{FFFD}e"
    )
  }

  @Test(
    "durations are whole numbers with a unit",
    arguments: [
      ("500ms", Duration.milliseconds(500)), ("0s", .zero), ("15m", .seconds(900)),
      ("2h", .seconds(7200)), ("90d", .seconds(90 * 86_400)),
    ])
  func durations(text: String, value: Duration) {
    #expect(Duration(spelled: text) == value)
  }

  @Test(
    "anything else is no duration",
    arguments: ["", "s", "10", "-1s", "1.5h", "10 s", "1w", "99999999999d", "٣s"])
  func noDurations(text: String) {
    #expect(Duration(spelled: text) == nil)
  }

  @Test("ages are given in their greatest unit")
  func ages() {
    #expect(Duration.seconds(59).rough == "59 s")
    #expect(Duration.seconds(3599).rough == "59 min")
    #expect(Duration.seconds(90_000).rough == "25 h")
    #expect(Duration.seconds(200_000).rough == "2 d")
  }

  @Test("JSON strings are escaped, and everything else is left as it is")
  func json() {
    #expect(JSONText.string("a\"\\\n\u{1}é🗓").description == #""a\"\\\n\u0001é🗓""#)
    #expect(JSONText.string(nil).description == "null")
    #expect(
      JSONText.object(["a": .number(1), "b": .array([.bool(true), .null])]).description
        == #"{"a":1,"b":[true,null]}"#)
  }

  @Test("colours follow the flag, NO_COLOR and the terminal")
  func colours() {
    func colours(_ flag: String, _ variables: [String: String] = [:]) -> Bool {
      let console = Console()
      console.configure(
        color: flag, environment: Environment(variables: variables), verbosity: .normal)
      return console.usesColor
    }
    #expect(!colours("auto"))
    #expect(colours("always", ["NO_COLOR": "1"]))
    #expect(!colours("never"))
  }
}
