import SyncKit

/// What the runs of a service came to, since it started.
struct ServiceMetrics: Sendable {
  private var runs: [SyncReport.Outcome: Int] = [:]
  private var failures = 0
  private var sent = 0
  private var received = 0
  private var deletedRemotely = 0
  private var deletedLocally = 0
  private var requests = 0
  private var bytesSent: Int64 = 0
  private var bytesReceived: Int64 = 0
  private var seconds = 0.0

  private static let outcomes: [SyncReport.Outcome] = [
    .inSync, .partial, .refused, .conflicts, .offline, .locked, .protocol, .unauthorized,
    .storeError, .configError,
  ]

  mutating func count(_ report: SyncReport) {
    runs[report.outcome, default: 0] += 1
    failures += report.failed.count
    sent += report.remote.appended + report.remote.updated
    received += report.local.appended + report.local.updated
    deletedRemotely += report.remote.deleted
    deletedLocally += report.local.deleted
    requests += report.requests
    bytesSent += report.bytesSent
    bytesReceived += report.bytesReceived
    seconds += report.seconds.isFinite ? report.seconds : 0
  }

  func text(_ gauges: ServiceGauges) -> String {
    var text = PrometheusText()
    text.add(
      "syncd_runs_total", .counter, "Runs that ended, by outcome.",
      Self.outcomes.map { .init(labels: ["outcome": $0.rawValue], value: Double(runs[$0] ?? 0)) })
    text.add(
      "syncd_run_seconds", .summary, "How long runs took.",
      [
        .init(suffix: "_sum", value: seconds),
        .init(suffix: "_count", value: Double(runs.values.reduce(0, +))),
      ])
    text.add("syncd_record_failures_total", .counter, "Records that failed in a run.", failures)
    text.add("syncd_records_sent_total", .counter, "Records written to the remote.", sent)
    text.add("syncd_records_received_total", .counter, "Records written to the store.", received)
    text.add(
      "syncd_records_deleted_total", .counter, "Records deleted, by the side they were on.",
      [
        .init(labels: ["side": "local"], value: Double(deletedLocally)),
        .init(labels: ["side": "remote"], value: Double(deletedRemotely)),
      ])
    text.add("syncd_run_requests_total", .counter, "Requests that runs made.", requests)
    text.add("syncd_run_sent_bytes_total", .counter, "Bytes that runs sent.", bytesSent)
    text.add("syncd_run_received_bytes_total", .counter, "Bytes that runs received.", bytesReceived)
    text.add(
      "syncd_pending_changes", .gauge, "Local changes the remote has not agreed to yet.",
      gauges.pending)
    text.add("syncd_set_aside_records", .gauge, "Records set aside.", gauges.setAside)
    let success = gauges.lastSuccess.map { Double($0.microseconds) / 1e6 } ?? 0
    text.add(
      "syncd_last_success_timestamp_seconds", .gauge,
      "When the last successful run ended; 0 when there was none.", [.init(value: success)])
    text.add(
      "syncd_state", .gauge, "1 for the state the service is in.",
      ServiceGauges.states.map {
        .init(labels: ["state": $0], value: $0 == gauges.state ? 1 : 0)
      })
    return text.description
  }
}
