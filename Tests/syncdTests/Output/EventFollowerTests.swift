import SyncKit
import Synchronization
import Testing

@testable import syncd

@Suite("What is said during a run")
struct EventFollowerTests {
  /// A clock that stands until it is moved.
  private final class StandingTime: TimeSource {
    let moment = Mutex(Duration.zero)
    var now: Timestamp { Timestamp(microseconds: 0) }
    var uptime: Duration { moment.withLock { $0 } }

    func advance(_ duration: Duration) { moment.withLock { $0 += duration } }
  }

  private func follower(
    _ words: String..., time: any TimeSource
  ) throws -> (EventFollower, Console) {
    let parsed = try ArgumentParser.parse(["once"] + words)
    let console = Console()
    let environment = Environment(variables: [:])
    console.configure(
      color: "never", environment: environment,
      verbosity: words.contains("-v") ? .verbose : .normal)
    let command = try #require(parsed.command)
    let invocation = Invocation(
      command: command, arguments: parsed.arguments, console: console, environment: environment)
    return (EventFollower(invocation, time: time), console)
  }

  private static let warning = SyncEvent.warning("odd")

  @Test("-v says how far a run has come once a second, and everything else as it happens")
  func verbose() throws {
    let time = StandingTime()
    let (follower, console) = try follower("-v", time: time)
    follower.show(.started(.push))
    for count in 1...1000 { follower.show(.listing(entries: count)) }
    follower.show(.planned(operations: 500))
    for done in 1...500 {
      if done % 250 == 0 { time.advance(.seconds(1)) }
      follower.show(.progress(done: done, of: 500))
    }
    follower.show(Self.warning)
    follower.show(.finished(SyncReport(direction: .push)))
    #expect(
      console.err.text == """
        syncd: started: push
        syncd: the remote lists 1 record so far
        syncd: 500 operations to do
        syncd: 250 of 500 done
        syncd: 500 of 500 done
        syncd: warning: odd
        syncd: finished: inSync

        """)
  }

  @Test("without -v only warnings are said in a pipe")
  func normal() throws {
    let (follower, console) = try follower(time: StandingTime())
    for event in [SyncEvent.started(.push), .progress(done: 1, of: 1), Self.warning] {
      follower.show(event)
    }
    #expect(console.err.text == "syncd: odd\n")
  }
}
