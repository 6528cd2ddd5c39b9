extension SyncReport {
  /// The report as one line of JSON, its members in the order of the manual.
  public var json: String {
    var bytes: [UInt8] = []
    bytes.append(json: "{")
    bytes.appendMember("outcome", string: outcome.rawValue, first: true)
    bytes.appendMember("direction", string: direction.rawValue)
    bytes.appendMember("remote", raw: remote.json)
    bytes.appendMember("local", raw: local.json)
    bytes.appendMember("unchanged", raw: String(unchanged))
    bytes.appendMember("adopted", raw: String(adopted))
    bytes.appendMember("remoteNewer", raw: String(remoteNewer))
    bytes.appendMember("conflicts", raw: String(conflicts))
    bytes.appendMember("kept", raw: String(kept))
    bytes.appendMember("failed", raw: "[" + failed.map(\.json).joined(separator: ",") + "]")
    bytes.appendMember("refused", raw: refused?.json ?? "null")
    bytes.appendMember("requests", raw: String(requests))
    bytes.appendMember("bytesSent", raw: String(bytesSent))
    bytes.appendMember("bytesReceived", raw: String(bytesReceived))
    bytes.appendMember("seconds", raw: seconds.isFinite ? String(seconds.thousandths) : "0.0")
    bytes.appendMember("message", string: message)
    bytes.append(json: "}")
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension SyncReport.Changes {
  fileprivate var json: String {
    "{\"appended\":\(appended),\"updated\":\(updated),\"deleted\":\(deleted)}"
  }
}

extension SyncReport.Failure {
  public var json: String {
    var bytes: [UInt8] = []
    bytes.append(json: "{")
    bytes.appendMember("id", string: id, first: true)
    bytes.appendMember("action", string: action.rawValue)
    bytes.appendMember("status", raw: String(status))
    bytes.appendMember("message", string: message)
    bytes.append(json: "}")
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Refusal {
  public var json: String {
    "{\"guard\":\"\(`guard`.rawValue)\",\"side\":\"\(side.rawValue)\","
      + "\"deletions\":\(deletions),\"of\":\(of)}"
  }
}

extension Double {
  fileprivate var thousandths: Double { (self * 1000).rounded() / 1000 }
}
