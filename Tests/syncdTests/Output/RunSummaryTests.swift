import SyncKit
import Testing

@testable import syncd

@Suite("What a run says")
struct RunSummaryTests {
  private func report(
    _ outcome: SyncReport.Outcome = .inSync, _ change: (inout SyncReport) -> Void = { _ in }
  ) -> SyncReport {
    var report = SyncReport(direction: .push)
    report.outcome = outcome
    change(&report)
    return report
  }

  private func said(_ report: SyncReport, _ words: String...) throws -> (out: String, err: String) {
    let parsed = try ArgumentParser.parse(["once"] + words)
    let console = Console()
    let environment = Environment(variables: [:])
    console.configure(
      color: "never", environment: environment,
      verbosity: words.contains("-q") ? .quiet : .normal)
    let command = try #require(parsed.command)
    try RunSummary(report: report, store: "p.db").print(
      Invocation(
        command: command, arguments: parsed.arguments, console: console, environment: environment))
    return (console.out.text, console.err.text)
  }

  @Test("one line says what was done")
  func oneLine() throws {
    let report = report {
      $0.remote.appended = 3
      $0.remote.updated = 1
      $0.remote.deleted = 1
      $0.unchanged = 120
      $0.seconds = 0.42
    }
    let (out, err) = try said(report)
    #expect(
      out == "in sync: 3 appended, 1 updated, 1 deleted on the remote; 120 unchanged (0.4 s)\n")
    #expect(err.isEmpty)
  }

  @Test("a run with nothing to do says so, and with -q nothing at all")
  func nothing() throws {
    #expect(
      try said(report { $0.unchanged = 5 }).out == "in sync: nothing to do; 5 unchanged (0.0 s)\n")
    let (out, err) = try said(report { $0.unchanged = 5 }, "-q")
    #expect(out.isEmpty && err.isEmpty)
  }

  @Test("each record that failed has a line on standard error, with -q too")
  func failures() throws {
    let report = report(.partial) {
      $0.failed = [
        SyncReport.Failure(id: "a", action: .update, status: 422, message: "title too long"),
        SyncReport.Failure(id: "b", action: .append, message: "no answer"),
      ]
      $0.remote.updated = 67
    }
    let (out, err) = try said(report, "-q")
    #expect(out.isEmpty)
    #expect(
      err == """
        syncd: project a could not be updated: 422: title too long
        syncd: project b could not be appended: no answer
        syncd: partly in sync: 67 updated on the remote; 2 failed; 0 unchanged (0.0 s)

        """)
  }

  @Test("a refusal says why, that nothing was changed, and which store it was")
  func refusal() throws {
    let report = report(.refused) {
      $0.refused = Refusal(guard: .massDeletion, side: .remote, deletions: 95, of: 100)
    }
    let (out, err) = try said(report)
    #expect(out.isEmpty)
    #expect(err.contains("95 of 100"))
    #expect(err.contains("--force-delete"))
    #expect(err.contains("Nothing was changed."))
    #expect(err.contains("p.db"))
  }

  @Test("what a server says cannot write to the terminal")
  func hostileServer() throws {
    let report = report(.partial) {
      $0.failed = [SyncReport.Failure(id: "a", action: .update, status: 400, message: "\u{1B}[2J")]
    }
    #expect(try !said(report).err.contains("\u{1B}"))
  }

  @Test("with --json there is one object and nothing else, whatever the outcome")
  func json() throws {
    for outcome in [SyncReport.Outcome.inSync, .refused, .offline, .partial] {
      let (out, err) = try said(report(outcome), "--json")
      #expect(out.hasPrefix("{\"outcome\":\"\(outcome.rawValue)\","))
      #expect(out.hasSuffix("}\n"))
      #expect(err.isEmpty)
    }
  }
}

@Suite("Exit codes")
struct ExitCodeTests {
  @Test("every outcome has the code of the manual")
  func outcomes() {
    let codes: [(SyncReport.Outcome, Int32)] = [
      (.inSync, 0), (.partial, 1), (.refused, 3), (.conflicts, 4), (.storeError, 74),
      (.offline, 75), (.locked, 75), (.protocol, 76), (.unauthorized, 77), (.configError, 78),
    ]
    for (outcome, code) in codes { #expect(ExitCode(outcome).rawValue == code) }
  }

  @Test("every error has the code of the manual")
  func errors() {
    let codes: [(SyncError.Code, Int32)] = [
      (.store, 74), (.locked, 75), (.offline, 75), (.protocolViolation, 76), (.unauthorized, 77),
      (.configuration, 78), (.notFound, 1), (.invalidInput, 2),
    ]
    for (code, number) in codes {
      #expect(ExitCode(for: SyncError(code, "")).rawValue == number)
    }
    #expect(ExitCode(for: ConfigurationError("")).rawValue == 78)
    #expect(ExitCode(for: OutputError(code: 32)).rawValue == 0)
    #expect(ExitCode(for: OutputError(code: 28)).rawValue == 74)
  }
}
