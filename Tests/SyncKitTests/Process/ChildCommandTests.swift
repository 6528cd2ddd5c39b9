import TestSupport
import Testing

@testable import SyncKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("A command of somebody else's", .timeLimit(.minutes(2)))
struct ChildCommandTests {
  private static let variables = ["PATH=/usr/bin:/bin"]

  private func shell(_ script: String, bytes: Int = 4096, limit: Duration = .seconds(600))
    -> ChildCommand
  {
    ChildCommand(
      ["sh", "-c", script], environment: Self.variables, output: .beginning(bytes: bytes),
      limit: limit)
  }

  private func text(_ result: ChildCommand.Result) -> String {
    String(decoding: result.output, as: UTF8.self)
  }

  @Test("output and errors are kept together, as far as there is room, and all of it is read")
  func bounded() async throws {
    let short = try await shell("echo out; echo err >&2; exit 3").run()
    #expect(short.ending == .exited(3) && !short.isCut)
    #expect(text(short) == "out\nerr\n")
    let long = try await shell("yes | head -c 500000; exit 0").run()
    #expect(long.ending == .exited(0) && long.isCut)
    #expect(long.output.count == 4096)
  }

  @Test("input of any size is handed over, and may be left unread")
  func input() async throws {
    var command = ChildCommand(
      ["cat"], environment: Self.variables, output: .beginning(bytes: 1 << 20),
      limit: .seconds(600))
    command.input = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
    #expect(try await command.run().output == command.input)
    command.arguments = ["true"]
    #expect(try await command.run().ending == .exited(0))
  }

  @Test("it runs in the directory and with the variables that were named, and with no others")
  func surroundings() async throws {
    var command = shell("pwd; echo $A; env | grep -c HOME")
    command.directory = "/usr"
    command.environment.append("A=one two")
    #expect(text(try await command.run()) == "/usr\none two\n0\n")
  }

  @Test("no descriptor of ours is open in it")
  func descriptors() async throws {
    let descriptor = dup2(2, 200)
    defer { close(descriptor) }
    let result = try await shell("test ! -e /dev/fd/200").run()
    #expect(result.ending == .exited(0))
  }

  @Test("what it leaves in the background is not waited for")
  func background() async throws {
    let result = try await shell("sleep 600 & echo $!").run()
    #expect(result.ending == .exited(0))
    let pid = try #require(Int32(text(result).prefix { $0.isNumber }))
    kill(pid, SIGKILL)
  }

  @Test("when its time is up the whole group goes, whatever it makes of SIGTERM")
  func killed() async throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "lock")
    var command = shell(
      "trap '' TERM; flock '\(folder.file("lock"))' sleep 600 & wait; sleep 600",
      limit: .milliseconds(300))
    command.grace = .milliseconds(100)
    #expect(try await command.run().ending == .timedOut)
    // Waits for as long as somebody of the group lives.
    let descriptor = open(folder.file("lock"), O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX) == 0)
  }

  @Test("it may tidy up before it is killed")
  func grace() async throws {
    var command = shell(
      "trap 'echo tidied; exit 0' TERM; echo ready; while :; do sleep 0.01; done",
      limit: .seconds(1))
    command.grace = .seconds(60)
    let result = try await command.run()
    #expect(result.ending == .timedOut)
    #expect(!text(result).contains("ready") || text(result).contains("tidied"))
  }

  @Test("a signal that ends it is told apart from an exit code")
  func signalled() async throws {
    #expect(try await shell("kill -USR1 $$").run().ending == .signalled(SIGUSR1))
    #expect(try await shell("exit 138").run().ending == .exited(138))
  }

  @Test("a program that is missing is said to be", arguments: ["syncd-no-such", "/no/such"])
  func missing(program: String) async throws {
    let command = ChildCommand(
      [program], environment: [], output: .firstLine(bytes: 100), limit: .seconds(600))
    let failure = await #expect(throws: ChildCommand.Failure.self) { _ = try await command.run() }
    #expect(failure?.isMissing == true)
  }

  @Test("it is killed when its task is cancelled")
  func cancelled() async throws {
    let folder = try TemporaryFolder()
    let fifo = folder.file("fifo")
    #expect(mkfifo(fifo, 0o600) == 0)
    let task = Task { try await shell("echo x > '\(fifo)'; sleep 600").run() }
    // Opened once the command has opened the other end.
    let descriptor = open(fifo, O_RDONLY | O_CLOEXEC)
    close(descriptor)
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }
}
