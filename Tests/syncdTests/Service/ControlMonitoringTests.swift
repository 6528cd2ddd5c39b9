import SyncKit
import Synchronization
import TestSupport
import Testing

@testable import syncd

@Suite("How a service is, for monitors", .timeLimit(.minutes(3)))
struct ControlMonitoringTests {
  let control: Controlled

  init() throws { control = try Controlled() }

  @Test("a service is well until no run has succeeded for four intervals")
  func health() async throws {
    #expect(try await control.ask("GET", "/healthz").text.contains("\"lastSuccess\":null"))
    control.pass(seconds: 3600)
    #expect(try await control.ask("GET", "/healthz").status == 200)
    control.pass(seconds: 1)
    let never = try await control.ask("GET", "/healthz")
    #expect(never.status == 503)
    #expect(never.text.contains("there was no successful run in 1 h"))
    #expect(try await control.ask("GET", "/healthz?older-than=2h").status == 200)
    control.service.state.withLock { $0.gauges.lastSuccess = FakeService.start }
    #expect(
      try await control.ask("GET", "/healthz?older-than=1h").text
        .contains("the last successful run was 1 h ago"))
    #expect(try await control.ask("HEAD", "/healthz").status == 503)
  }

  @Test("metrics count what runs came to")
  func metrics() async throws {
    var report = SyncReport(direction: .both)
    report.remote.appended = 2
    report.remote.updated = 1
    report.remote.deleted = 4
    report.local.appended = 5
    report.local.deleted = 6
    report.requests = 7
    report.bytesSent = 800
    report.bytesReceived = 900
    report.seconds = 1.25
    report.failed = [.init(id: "a", action: .update, status: 422, message: "no")]
    report.outcome = .partial
    await control.tell(.run(.finished(report)), .run(.finished(report)))
    control.service.state.withLock { $0.gauges.lastSuccess = FakeService.start }
    let answer = try await control.ask("GET", "/metrics")
    #expect(answer.text.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
    for line in [
      "syncd_runs_total{outcome=\"partial\"} 2", "syncd_runs_total{outcome=\"inSync\"} 0",
      "syncd_run_seconds_sum 2.5", "syncd_run_seconds_count 2", "syncd_record_failures_total 2",
      "syncd_records_sent_total 6", "syncd_records_received_total 10",
      "syncd_records_deleted_total{side=\"local\"} 12",
      "syncd_records_deleted_total{side=\"remote\"} 8", "syncd_run_requests_total 14",
      "syncd_run_sent_bytes_total 1600", "syncd_run_received_bytes_total 1800",
      "syncd_pending_changes 3", "syncd_last_success_timestamp_seconds 1700000000",
      "syncd_state{state=\"online\"} 1", "syncd_state{state=\"paused\"} 0",
      "# TYPE syncd_run_seconds summary",
    ] {
      #expect(answer.text.contains("\n\(line)\n"), "\(line)")
    }
  }

  @Test("the text keeps to the format, whatever is in a label")
  func text() {
    var text = PrometheusText()
    text.add(
      "x", .gauge, "a \\ \n\"b\"",
      [
        .init(labels: ["l": "\"\\\n", "m": "é"], value: 0.5), .init(value: .infinity),
        .init(suffix: "_sum", value: -3), .init(value: 1e300),
      ])
    #expect(
      text.description == """
        # HELP x a \\\\ \\n"b"
        # TYPE x gauge
        x{l="\\"\\\\\\n",m="é"} 0.5
        x +Inf
        x_sum -3
        x 1e+300

        """)
  }

  @Test("the socket is the user's own; root's is the system's")
  func place() {
    let run = Environment(variables: ["XDG_RUNTIME_DIR": "/run/user/7", "HOME": "/home/me"])
    #expect(ControlSocket.path(run, user: 7) == "/run/user/7/syncd/control.sock")
    #expect(ControlSocket.path(run, user: 0) == "/run/syncd/control.sock")
    #expect(
      ControlSocket.path(Environment(variables: ["HOME": "/home/me"]), user: 7)
        == "/home/me/.local/share/syncd/control.sock")
  }
}
