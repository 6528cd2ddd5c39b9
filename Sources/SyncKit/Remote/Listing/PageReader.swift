import Synchronization

/// Reads one page of a listing as it comes, and reads it again after its connection broke without
/// handing over an entry twice.
final class PageReader<Entry: Sendable>: Sendable {
  /// Entries handed over at once.
  private static var batch: Int { 256 }

  private struct State {
    var stream: any ElementStream
    var head = HTTPResponseHead(status: 0)
    var batch: [Entry] = []
    var bytes = 0
    /// What this attempt has read: how many entries, and their hash.
    var read = 0
    var hasher = Hasher()
    var first: [UInt8]?
    var last: [UInt8]?
    /// What was handed over, by whichever attempt.
    var delivered = 0
    var deliveredHash = 0
  }

  private let session: RemoteSession
  private let url: String
  private let syntax: ListingSyntax
  private let entry: @Sendable ([UInt8]) throws -> Entry?
  private let state: Mutex<State>

  /// - Parameter entry: reads one element of the list; nil where it is nobody's record.
  init(
    _ session: RemoteSession, url: String, _ syntax: ListingSyntax,
    entry: @escaping @Sendable ([UInt8]) throws -> Entry?
  ) {
    (self.session, self.url, self.syntax, self.entry) = (session, url, syntax, entry)
    state = Mutex(State(stream: syntax.stream))
  }

  /// Begins an attempt.
  func begin(_ head: HTTPResponseHead) throws {
    guard syntax.accepts(head.status) || head.status == 304 else {
      throw session.violation(
        url, "answered \(head.status) where a list should be", status: head.status)
    }
    if head.status != 304, let type = MediaType(head.headers), !syntax.accepts(type) {
      throw session.violation(
        url,
        "answered \(head.status) with \(ServerWords.cut(type.name)), not \(syntax.name): a wrong "
          + "address, or a proxy speaking", status: head.status)
    }
    state.withLock { state in
      state.head = head
      state.stream = syntax.stream
      (state.batch, state.bytes, state.read) = ([], 0, 0)
      (state.first, state.last) = (nil, nil)
      state.hasher = Hasher()
    }
  }

  func take(
    _ chunk: [UInt8], _ receive: @Sendable ([Entry]) async throws -> Void
  ) async throws {
    let piece = 64 << 10
    for start in stride(from: 0, to: chunk.count, by: piece) {
      let whole = chunk.count <= piece
      let bytes = whole ? chunk : Array(chunk[start..<min(start + piece, chunk.count)])
      let batch = try state.withLock { state in
        try consume(bytes, &state)
        return state.batch.count >= Self.batch ? deliver(&state) : []
      }
      if !batch.isEmpty { try await receive(batch) }
    }
  }

  /// Says that the page came to its end.
  func finish(
    _ receive: @Sendable ([Entry]) async throws -> Void
  ) async throws -> ListedPage {
    let (page, batch) = try state.withLock { state in
      let envelope: [UInt8]
      do {
        envelope = try state.stream.finish()
      } catch {
        throw malformed(error, state)
      }
      guard state.read >= state.delivered else { throw changed() }
      let page = ListedPage(
        head: state.head, count: state.read, first: state.first, last: state.last,
        envelope: envelope)
      return (page, deliver(&state))
    }
    if !batch.isEmpty { try await receive(batch) }
    return page
  }

  private func consume(_ bytes: [UInt8], _ state: inout State) throws {
    state.bytes += bytes.count
    var (read, hasher, batch) = (state.read, state.hasher, state.batch)
    state.batch = []
    do {
      try state.stream.consume(bytes) { element in
        guard element.first == UInt8(ascii: "{") else {
          throw session.violation(url, "the list holds something that is no record")
        }
        read += 1
        element.withUnsafeBytes { hasher.combine(bytes: $0) }
        if read == 1 { state.first = element }
        let found = try self.entry(element)
        if found != nil { state.last = element }
        if read > state.delivered {
          if let found { batch.append(found) }
        } else if read == state.delivered, hasher.finalize() != state.deliveredHash {
          throw changed()
        }
      }
    } catch let error where error is JSONError || error is MultistatusError {
      throw malformed(error, state)
    }
    (state.read, state.hasher, state.batch) = (read, hasher, batch)
  }

  private func deliver(_ state: inout State) -> [Entry] {
    guard state.read > state.delivered else { return [] }
    state.delivered = state.read
    state.deliveredHash = state.hasher.finalize()
    let batch = state.batch
    state.batch = []
    return batch
  }

  private func malformed(_ error: any Error, _ state: State) -> SyncError {
    session.violation(
      url,
      "not the list of records that it should be: \(error), after \(state.bytes) "
        + "bytes were read")
  }

  private func changed() -> SyncError {
    SyncError(
      .offline,
      "\(RemoteAddress.shown(url)): the connection broke, and the list had changed when it was read "
        + "again; nothing is lost, try again later")
  }
}

/// A page that was read to its end.
struct ListedPage: Sendable {
  var head: HTTPResponseHead
  var count: Int
  /// The bytes of the first entry, by which a page that comes again is known.
  var first: [UInt8]?
  /// The bytes of the last entry that is a record, as the server wrote it.
  var last: [UInt8]?
  /// The text around the entries.
  var envelope: [UInt8]
}
