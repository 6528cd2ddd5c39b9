/// One thing that happens in a world.
package struct Event: Equatable, Sendable {
  package enum Verb: String, CaseIterable, Sendable {
    case add, edit, remove
    /// Removes and adds again under the same id.
    case recreate
    /// What another program does to the file with plain SQL, whether the device runs or not.
    case sqlReplace, sqlUpdate, sqlRename, sqlStamp, sqlDelete
    case sync
    /// Crashes at once; starts again after `amount` milliseconds.
    case crash
    /// Crashes once `amount` more writes to the disk went through; starts again after a while.
    case crashWriting
    /// Crashes once `amount` more requests went out.
    case crashSending
    /// Sets the clock to be `amount` milliseconds off.
    case clock
    /// Copies the store's file away; puts the last copy back.
    case backup, restore
    /// The store's file is lost; whether the sidecar is as well, `amount` says.
    case lose
    /// The network becomes calm, rough or stormy: 0, 1, 2.
    case weather
    case cutOff, reconnect
    case serverDown, serverUp
    /// The server answers as though it held nothing; and remembers again.
    case forget, recall
    /// Copies what the server holds away; puts the last copy back.
    case serverBackup, serverRestore
    /// Decides every conflict that waits on the device: for this side where `amount` is 0.
    case resolve
  }

  /// Milliseconds after the one before.
  package var gap: Int64
  package var verb: Verb
  package var device = 0
  package var record = 0
  /// A second record, or a choice.
  package var other = 0
  package var amount: Int64 = 0
}

extension Event: CustomStringConvertible {
  package var description: String {
    "+\(gap) \(verb.rawValue) device=\(device) record=\(record) other=\(other) amount=\(amount)"
  }

  /// Reads what `description` wrote.
  package init?(_ text: some StringProtocol) {
    let words = text.split(separator: " ")
    guard words.count == 6, words[0].hasPrefix("+"), let gap = Int64(words[0].dropFirst()),
      let verb = Verb(rawValue: String(words[1]))
    else { return nil }
    let numbers = words[2...].compactMap { $0.split(separator: "=").last.flatMap { Int64($0) } }
    guard numbers.count == 4 else { return nil }
    self.init(
      gap: gap, verb: verb, device: Int(numbers[0]), record: Int(numbers[1]),
      other: Int(numbers[2]), amount: numbers[3])
  }
}
