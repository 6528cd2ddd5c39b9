import SyncKit
import TestSupport
import Testing

@testable import syncd

@Suite("What the service manager is told")
struct ServiceJournalTests {
  /// The last status after a run that ended so, and the state that follows.
  private func status(
    after outcome: SyncReport.Outcome, _ message: String = "", then state: ServiceState
  ) throws -> String {
    let folder = try TemporaryFolder()
    let receiver = try DatagramReceiver(path: folder.file("notify.sock"))
    let trouble = TroubleLog(LogRecorder().log())
    let journal = ServiceJournal(
      trouble,
      manager: ServiceManager(
        environment: Environment(variables: ["NOTIFY_SOCKET": receiver.path]), processID: 42),
      hooks: Hooks(Configuration.Hooks(), variables: [], trouble: trouble))
    var report = SyncReport(direction: .both)
    (report.outcome, report.message) = (outcome, message)
    journal.note(.state(.syncing))
    journal.note(.run(.finished(report)))
    journal.note(.state(state))
    if state == .backingOff {
      journal.note(.waiting(until: Timestamp(microseconds: 0), reason: message))
    }
    return receiver.messages.last ?? ""
  }

  @Test("at rest, how the last run ended")
  func atRest() throws {
    #expect(try status(after: .inSync, then: .online) == "STATUS=in sync; waiting for changes")
    for (outcome, word) in [
      (SyncReport.Outcome.partial, "syncd status"), (.conflicts, "syncd conflicts"),
      (.refused, "changed nothing"),
    ] {
      let status = try status(after: outcome, then: .online)
      #expect(status.contains(word), "\(status)")
      #expect(!status.hasPrefix("STATUS=in sync;"), "\(status)")
    }
  }

  @Test("while it waits to try again, why")
  func waiting() throws {
    let locked = try status(after: .locked, "another run holds the store", then: .backingOff)
    #expect(locked == "STATUS=waits to try again: another run holds the store")
    let silent = try status(after: .offline, then: .backingOff)
    #expect(silent == "STATUS=the last attempt failed; changes wait, and it is tried again")
  }
}
