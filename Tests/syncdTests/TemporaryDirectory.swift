#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Runs `body` with the path of a fresh directory, which is removed afterwards.
func withTemporaryDirectory<Result>(
  _ body: (String) async throws -> Result
) async throws -> Result {
  let files = FileManager.default
  let path = files.temporaryDirectory.path + "/syncd-tests-" + UUID().uuidString
  try files.createDirectory(atPath: path, withIntermediateDirectories: true)
  defer { try? files.removeItem(atPath: path) }
  return try await body(path)
}
