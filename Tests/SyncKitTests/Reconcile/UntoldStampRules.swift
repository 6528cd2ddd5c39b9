import SyncKit
import Testing

@Suite("Rules where the remote's stamp is not told")
struct UntoldStampRules {
  @Test("decide the same, or ask for the contents first", arguments: Direction.allCases)
  func sameOrAsk(direction: Direction) {
    let stamps: [Int64?] = [nil, 1, 2, 3]
    let known: [BaseEntry?] =
      [nil]
      + [1, 2].map {
        BaseEntry(localUpdatedAt: Timestamp(microseconds: $0), remoteVersion: Version("v"))
      }
    for deletions in [DeletionPolicy.propagate, .known, .never] {
      let reconciler = Reconciler(direction: direction, deletions: deletions)
      for stamp in stamps {
        for base in known {
          for version in ["v", "w"] {
            let local = stamp.map { LocalEntry(updatedAt: Timestamp(microseconds: $0)) }
            let told = RemoteEntry(
              updatedAt: Timestamp(microseconds: 2), version: Version(version))
            let untold = RemoteEntry(updatedAt: nil, version: Version(version))
            let decision = reconciler.decide(local: local, remote: untold, base: base)
            let expected = reconciler.decide(local: local, remote: told, base: base)
            #expect(decision == expected || decision == .compareContents)
            // An id of one side alone is never a matter of stamps.
            if local == nil { #expect(decision == expected) }
          }
        }
      }
    }
  }
}
