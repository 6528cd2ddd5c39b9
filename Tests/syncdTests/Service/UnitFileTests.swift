import TestSupport
import Testing

@testable import syncd

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

private let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()

#if os(Linux)
  @Suite("The units for systemd")
  struct UnitFileTests {
    private static let system = [
      "syncd.service", "syncd.socket", "syncd-once.service", "syncd-once.timer",
    ]
    private static let user = ["syncd.service"]

    /// The units with the path of the binary that was built, since systemd asks whether it exists.
    private func units(_ names: [String], in place: String) throws -> TemporaryFolder {
      let folder = try TemporaryFolder()
      for name in names {
        let text = try FileContents.text(of: "\(root)/config/\(place)/\(name)")
        let parts = text.split(separator: "/usr/local/bin/syncd", omittingEmptySubsequences: false)
        #expect((parts.count > 1) == name.hasSuffix(".service"), "\(name)")
        try folder.write(parts.joined(separator: Tool.path), to: name)
      }
      return folder
    }

    private func analyze(
      _ arguments: [String], in folder: TemporaryFolder
    ) async throws -> ChildProcess.Result {
      try await ChildProcess(
        "/usr/bin/systemd-analyze", arguments,
        environment: ["XDG_RUNTIME_DIR": folder.path, "SYSTEMD_PAGER": ""]
      ).wait()
    }

    @Test(
      "are correct", arguments: [("systemd", system, "--system"), ("systemd/user", user, "--user")])
    func verify(place: String, names: [String], manager: String) async throws {
      let folder = try units(names, in: place)
      let result = try await analyze(
        ["verify", manager, "--man=no"] + names.map(folder.file), in: folder)
      #expect(result.status == 0)
      #expect(result.output + result.errors == "")
    }

    @Test(
      "give the service little to do harm with",
      arguments: system.filter { $0.hasSuffix(".service") })
    func security(name: String) async throws {
      let folder = try units([name], in: "systemd")
      let result = try await analyze(
        ["security", "--offline=yes", "--threshold=25", "--no-pager", folder.file(name)], in: folder
      )
      #expect(result.status == 0, "\(result.output.suffix(100))\(result.errors)")
    }

    @Test("name the exit codes after which a restart helps nothing")
    func exitCodes() throws {
      let line =
        "\nRestartPreventExitStatus=\(ExitCode.usage.rawValue) \(ExitCode.configuration.rawValue)\n"
      for name in ["systemd/syncd.service", "systemd/user/syncd.service"] {
        #expect(try FileContents.text(of: "\(root)/config/\(name)").contains(line))
      }
      #expect(
        try FileContents.text(of: "\(root)/config/systemd/syncd-once.service")
          .contains("\nSuccessExitStatus=\(ExitCode.unavailable.rawValue)\n"))
    }
  }
#endif

@Suite("The agent for launchd")
struct LaunchAgentTests {
  private struct Agent: Decodable {
    var label: String
    var arguments: [String]
    var runsAtLoad: Bool
    var keepsAlive: [String: Bool]
    var mask: Int

    private enum CodingKeys: String, CodingKey {
      case label = "Label"
      case arguments = "ProgramArguments"
      case runsAtLoad = "RunAtLoad"
      case keepsAlive = "KeepAlive"
      case mask = "Umask"
    }
  }

  @Test("is a property list that runs the service and restarts it after a failure")
  func agent() throws {
    let text = try FileContents.text(of: "\(root)/config/launchd/org.syncd.syncd.plist")
    let agent = try PropertyListDecoder().decode(Agent.self, from: Data(text.utf8))
    #expect(agent.label == "org.syncd.syncd")
    #expect(agent.arguments.last?.hasPrefix("exec /usr/local/bin/syncd run ") == true)
    #expect(agent.runsAtLoad && agent.keepsAlive == ["SuccessfulExit": false])
    #expect(agent.mask == 0o077)
  }
}
