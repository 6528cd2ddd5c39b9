import SyncKit
import Synchronization

/// Runs the commands that the configuration names for what happens.
///
/// Never keeps anybody waiting: of each kind one runs at a time, and of what happens meanwhile the
/// newest is run for afterwards.
final class Hooks: Sendable {
  /// One kind's place.
  private struct Slot {
    /// What runs the hooks of this kind, one after the other; nil while none runs.
    var task: Task<Void, Never>?
    var pending: HookEvent?
  }

  private struct State {
    var slots: [HookKind: Slot] = [:]
    var isStopped = false
    /// Programs that were reported as missing.
    var missing: Set<String> = []
  }

  private let configuration: Configuration.Hooks
  private let variables: [String]
  private let trouble: TroubleLog
  private let execute: @Sendable (ChildCommand) async throws -> ChildCommand.Result
  private let state = Mutex(State())

  /// What is kept of a hook's output, in bytes.
  static let outputLimit = 4096
  /// What a hook has between SIGTERM and SIGKILL.
  static let grace = Duration.seconds(2)

  /// - Parameters:
  ///   - variables: the environment of the hooks, as `NAME=value`.
  ///   - execute: runs one command.
  init(
    _ configuration: Configuration.Hooks, variables: [String], trouble: TroubleLog,
    execute: @escaping @Sendable (ChildCommand) async throws -> ChildCommand.Result = {
      try await $0.run()
    }
  ) {
    self.configuration = configuration
    self.variables = variables
    self.trouble = trouble
    self.execute = execute
  }

  /// Runs the hook for what happened, now or after the one that runs; returns at once.
  func fire(_ event: HookEvent) {
    guard let words = configuration.commands[event.kind] else { return }
    state.withLock { state in
      if state.isStopped { return }
      var slot = state.slots[event.kind] ?? Slot()
      if slot.task != nil {
        slot.pending = event
      } else {
        slot.task = Task { await self.run(words, for: event) }
      }
      state.slots[event.kind] = slot
    }
  }

  /// Waits until every hook has ended that runs or was waiting for its turn.
  func settle() async {
    while let task = state.withLock({ $0.slots.values.compactMap(\.task).first }) {
      await task.value
    }
  }

  /// Kills what runs, forgets what waits, and runs nothing any more.
  func stop() async {
    let tasks = state.withLock { state in
      state.isStopped = true
      for kind in state.slots.keys { state.slots[kind]?.pending = nil }
      return state.slots.values.compactMap(\.task)
    }
    for task in tasks { task.cancel() }
    await settle()
  }

  private func run(_ words: [String], for first: HookEvent) async {
    var next: HookEvent? = first
    while let event = next {
      await run(words, event)
      next = state.withLock { state in
        defer { state.slots[event.kind]?.pending = nil }
        let pending = state.slots[event.kind]?.pending
        if pending == nil { state.slots[event.kind]?.task = nil }
        return pending
      }
    }
  }

  private func run(_ words: [String], _ event: HookEvent) async {
    var command = ChildCommand(
      words, environment: variables, output: .beginning(bytes: Self.outputLimit),
      limit: configuration.timeout)
    command.directory = "/"
    command.grace = Self.grace
    command.input = Array(event.json.utf8)
    let name = "hooks.\(event.kind.key)"
    do {
      let result = try await execute(command)
      note(result, of: name)
    } catch let failure as ChildCommand.Failure where failure.isMissing {
      let program = words[0]
      if state.withLock({ $0.missing.insert(program).inserted }) {
        trouble.log.warning("\(name): there is no program \(program)")
      }
    } catch let failure as ChildCommand.Failure {
      trouble.met(name, "\(name): \(words[0]) cannot be run: \(failure.reason)")
    } catch {
      trouble.log.debug("\(name): ended, since the service ends")
    }
  }

  private func note(_ result: ChildCommand.Result, of name: String) {
    var output = String(decoding: result.output, as: UTF8.self)
    if result.isCut { output += "…" }
    while output.last?.isNewline == true { output.removeLast() }
    let fields: LogFields = output.isEmpty ? [:] : ["output": .text(output)]
    switch result.ending {
    case .exited(0):
      trouble.overcame(name, "\(name) works again")
      trouble.log.debug("\(name): done", fields)
    case .exited(let code): trouble.met(name, "\(name): failed with \(code)", fields)
    case .signalled(let number): trouble.met(name, "\(name): ended by signal \(number)", fields)
    case .timedOut:
      trouble.met(
        name, "\(name): took longer than \(configuration.timeout.spelled) and was killed", fields)
    }
  }
}
