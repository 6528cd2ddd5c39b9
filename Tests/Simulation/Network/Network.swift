import SyncKit
import TestSupport

/// One device, in one hour of the world.
struct DeviceHour: Hashable {
  var device: Int
  var hour: Int64

  init(device: Int, at microseconds: Int64) {
    (self.device, hour) = (device, microseconds / 3_600_000_000)
  }

  var before: DeviceHour {
    var hour = self
    hour.hour -= 1
    return hour
  }
}

/// What lies between the devices and the server. Unchecked: it lives on the scheduler's thread alone.
final class Network: @unchecked Sendable {
  let scheduler: Scheduler
  let server: any SimulatedServer
  var weather = Weather.calm
  var isServerDown = false
  /// Devices that reach nobody.
  var cutOff: Set<Int> = []
  var draws: SeededGenerator
  var trace: Trace
  /// Requests that each device sent in each hour.
  private(set) var requests: [DeviceHour: Int] = [:]
  /// Requests on their way whose sender does not wait for them any more.
  private(set) var strays = 0

  init(_ scheduler: Scheduler, server: any SimulatedServer, seed: UInt64, trace: Trace) {
    (self.scheduler, self.server, self.trace) = (scheduler, server, trace)
    draws = SeededGenerator(seed: seed)
  }

  func count(from device: Int) {
    requests[DeviceHour(device: device, at: scheduler.now), default: 0] += 1
  }

  func way() async throws {
    let longest = weather.latency * 1000
    let clock = SimulatedClock(scheduler: scheduler)
    try await clock.sleep(
      for: .microseconds(Int64.random(in: 100...max(100, longest), using: &draws)))
  }

  /// The server carries a request out at this moment.
  func deliver(_ request: HTTPRequest, from device: Int) async -> HTTPResponse {
    let response = await server.answer(request)
    trace.note("\(device) \(request.method.rawValue) \(request.url) \(response.status)")
    return response
  }

  /// A request that reaches the server later, and whose answer nobody waits for.
  func stray(_ request: HTTPRequest, from device: Int) {
    strays += 1
    scheduler.start { [self] in
      try? await way()
      if !isServerDown { _ = await deliver(request, from: device) }
      strays -= 1
    }
  }
}
