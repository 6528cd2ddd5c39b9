internal import HTTPServer
internal import SyncKit

extension Service {
  /// `GET /healthz`.
  func health() -> Response {
    Response(200, type: "application/json", body: Array("{\"status\":\"ok\"}".utf8))
      .adding("Cache-Control", "no-store")
  }

  /// `GET /metrics`: what this process answered, and what the caller's space holds.
  func metricsText(space name: String) throws -> Response {
    let space = try read(name) { _, space in space }
    var text = metrics.text()
    let gauges = [
      ("records", space.records), ("contents_bytes", space.bytes),
      ("tombstones", space.tombstones),
    ]
    for (gauge, value) in gauges {
      text += "# TYPE syncd_\(gauge) gauge\nsyncd_\(gauge){space=\"\(name)\"} \(value)\n"
    }
    return Response(
      200, type: "text/plain; version=0.0.4; charset=utf-8", body: Array(text.utf8)
    )
    .adding("Cache-Control", "no-store")
  }
}
