#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A folder that goes with the test.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() throws {
    path = FileManager.default.temporaryDirectory.path + "/syncd-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  public func file(_ name: String) -> String { path + "/" + name }

  public func write(_ text: String, to name: String) throws {
    let folder = file(name).split(separator: "/", omittingEmptySubsequences: false).dropLast()
    try FileManager.default.createDirectory(
      atPath: folder.joined(separator: "/"), withIntermediateDirectories: true)
    try text.write(toFile: file(name), atomically: true, encoding: .utf8)
  }

  public func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(filePath: file(name)))
  }

  public func read(_ name: String) throws -> String {
    try String(contentsOfFile: file(name), encoding: .utf8)
  }

  public func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: file(name))))
  }

  public func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }

  /// The names of what is in a folder, in order.
  public func names(_ name: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: file(name)).sorted()
  }

  public func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: file(name))
  }

  public func copy(_ name: String, to other: String) throws {
    if exists(other) { try remove(other) }
    try FileManager.default.copyItem(atPath: file(name), toPath: file(other))
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
