import SyncKit
import Synchronization
import Testing

@testable import syncd

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A log that keeps its lines.
final class LogRecorder: Sendable {
  private let kept = Mutex<[String]>([])

  var lines: [String] { kept.withLock { $0 } }

  func log(
    _ format: LogFormat = .journal, level: LogLevel = .debug, hiding secrets: String...
  ) -> Log {
    var manner = Log.Manner(level: level, format: format)
    for secret in secrets { manner.secrets.hide(secret) }
    return Log(
      manner, now: { Timestamp(microseconds: 1_796_059_440_123_456) },
      sink: { line in self.kept.withLock { $0.append(String(decoding: line, as: UTF8.self)) } })
  }
}

@Suite("The log")
struct LogTests {
  private func lines(_ log: (LogRecorder) -> Void) -> [String] {
    let recorder = LogRecorder()
    log(recorder)
    return recorder.lines
  }

  @Test("the journal gets a priority and no time")
  func journal() {
    let lines = lines { recorder in
      let log = recorder.log()
      log.error("a")
      log.warning("b", ["id": .text("x y"), "count": .number(3)])
      log.info("c")
      log.debug("d")
    }
    #expect(lines == ["<3>a\n", "<4>b id=\"x y\" count=3\n", "<6>c\n", "<7>d\n"])
  }

  @Test("people get a time in UTC and the level, coloured where it is wanted")
  func text() {
    let lines = lines { recorder in
      recorder.log(.text(isColored: false)).warning("it rains")
      recorder.log(.text(isColored: true)).warning("it rains")
      recorder.log(.text(isColored: true)).info("it does not")
    }
    #expect(lines[0] == "2026-11-30 17:24:00Z warning it rains\n")
    #expect(lines[1] == "2026-11-30 17:24:00Z \u{1B}[33mwarning\u{1B}[0m it rains\n")
    #expect(lines[2] == "2026-11-30 17:24:00Z info    it does not\n")
  }

  @Test("programs get one object a line, its members in a fixed order")
  func json() {
    let report = SyncReport(direction: .push)
    let lines = lines { recorder in
      recorder.log(.json).info("in \"sync\"\n", ["seconds": .number(2), "report": .report(report)])
    }
    #expect(
      lines == [
        "{\"time\":\"2026-11-30T17:24:00.123456Z\",\"level\":\"info\","
          + "\"message\":\"in \\\"sync\\\"\\n\",\"seconds\":2,\"report\":\(report.json)}\n"
      ])
  }

  @Test("what is less than the level is not said, nor made", arguments: LogLevel.allCases)
  func level(level: LogLevel) {
    let lines = lines { recorder in
      let log = recorder.log(level: level)
      for other in LogLevel.allCases {
        log.write(
          other,
          {
            #expect(other.rank <= level.rank)
            return other.rawValue
          }())
      }
    }
    #expect(lines.count == level.rank + 1)
  }

  @Test(
    "an entry is one line that a terminal takes literally, whatever it repeats",
    arguments: [LogFormat.journal, .json, .text(isColored: false)])
  func oneLine(format: LogFormat) {
    let lines = lines { recorder in
      recorder.log(format).info(
        "a\nb\r\u{1B}[2J\u{9B}31m\u{0}", ["output": .text("c\nd\u{7F}\u{85}")])
    }
    #expect(lines.count == 1)
    #expect(lines[0].unicodeScalars.filter { $0.value < 0x20 }.map(\.value) == [0x0A])
    #expect(!lines[0].unicodeScalars.contains { (0x7F..<0xA0).contains($0.value) })
  }

  @Test(
    "a line is bounded, and JSON stays JSON",
    arguments: ["x", "\u{1}", "€", "\"", "🗓"],
    [LogFormat.journal, .json, .text(isColored: true)])
  func bounded(text: String, format: LogFormat) throws {
    let long = String(repeating: text, count: 20_000)
    var report = SyncReport(direction: .push)
    report.failed = (0..<200).map { number in
      SyncReport.Failure(
        id: "p\(number)", action: .update, status: 422, message: long.cut(bytes: 200))
    }
    let lines = lines { recorder in
      recorder.log(format).error(
        long, ["a": .text(long), "report": .report(report), "b": .text(long), "n": .number(1)])
    }
    #expect(lines[0].utf8.count <= 8192)
    guard case .json = format else { return }
    struct Entry: Decodable {
      var message: String
      var cut: Bool
    }
    let entry = try JSONDecoder().decode(Entry.self, from: Data(lines[0].utf8))
    #expect(entry.cut && entry.message.hasSuffix("…"))
  }

  @Test("of a report that is too long, failures are left out, never the report")
  func longReport() throws {
    var report = SyncReport(direction: .push)
    report.failed = (0..<2000).map {
      SyncReport.Failure(id: "p\($0)", action: .update, status: 422, message: "no")
    }
    let lines = lines { $0.log(.json).info("partly", ["report": .report(report)]) }
    #expect(lines[0].contains("\"report\":{\"outcome\""))
    #expect(lines[0].contains("\"id\":\"p0\"") && !lines[0].contains("\"id\":\"p1999\""))
    #expect(lines[0].hasSuffix(",\"cut\":true}\n"))
  }

  @Test(
    "a secret is hidden wherever it comes up",
    arguments: [LogFormat.journal, .json, .text(isColored: false)])
  func secrets(format: LogFormat) {
    var report = SyncReport(direction: .push)
    report.message = "no s3cret"
    report.failed = [SyncReport.Failure(id: "p", action: .update, message: "s3cret!")]
    let lines = lines { recorder in
      recorder.log(format, hiding: "s3cret").error(
        "the s3cret", ["a": .text("s3cret"), "report": .report(report)])
    }
    #expect(!lines[0].contains("s3cret"))
    #expect(lines[0].contains("the (hidden)"))
  }

  @Test("the journal is told by the stream, not by the variable alone")
  func choice() {
    let stream = LogStream(identity: "9:77", isTerminal: false)
    let terminal = LogStream(identity: "9:78", isTerminal: true)
    func format(
      _ configured: Configuration.Log.Format, _ stream: LogStream, color: String = "auto",
      _ variables: [String: String] = ["JOURNAL_STREAM": "9:77"]
    ) -> LogFormat {
      LogFormat(
        configured, color: color, environment: Environment(variables: variables), stream: stream)
    }
    #expect(format(.auto, stream) == .journal)
    #expect(format(.auto, stream, [:]) == .text(isColored: false))
    #expect(format(.auto, terminal) == .text(isColored: true))
    #expect(format(.auto, terminal, ["NO_COLOR": "1"]) == .text(isColored: false))
    #expect(format(.auto, terminal, color: "never") == .text(isColored: false))
    #expect(format(.text, stream, color: "always") == .text(isColored: true))
    #expect(format(.text, stream) == .text(isColored: false))
    #expect(format(.json, stream) == .json)
    #expect(LogStream(descriptor: -1).isJournal(Environment(variables: [:])) == false)
    #expect(LogStream(descriptor: 2).identity.contains(":"))
  }

  @Test("the manner can be changed while the service runs")
  func changed() {
    let lines = lines { recorder in
      let log = recorder.log(.journal, level: .error)
      log.info("a")
      log.change(to: Log.Manner(level: .info, format: .json))
      log.info("b")
    }
    #expect(lines.count == 1)
    #expect(lines[0].hasPrefix("{"))
  }

  @Test("what the configuration knows of secrets is hidden")
  func known() throws {
    var configuration = Configuration()
    let environment = Environment(variables: ["SYNCD_TOKEN": "t0k", "OTHER": "0th3r"])
    configuration.remote.authorization = .basic(user: "me", password: .environment("OTHER"))
    #expect(configuration.redaction(environment).applied(to: "t0k 0th3r") == "(hidden) (hidden)")
    configuration.remote.authorization = .bearer(.text("l1t3ral"))
    #expect(configuration.redaction(environment).applied(to: "l1t3ral") == "(hidden)")
  }
}
