import TestSupport

/// A certificate authority of a test's own, and servers' certificates made by it with `openssl`.
struct TestCertificates {
  let folder: TemporaryFolder

  /// The certificate to trust.
  var authority: String { folder.file("ca.pem") }

  init(in folder: TemporaryFolder) async throws {
    self.folder = folder
    try await openssl(
      "req", "-x509", "-subj", "/CN=an authority for tests", "-days", "2", "-nodes",
      "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-keyout", "ca.key",
      "-out", "ca.pem")
  }

  /// Makes a certificate and its key.
  ///
  /// - Parameters:
  ///   - names: as openssl has them: `IP:127.0.0.1,DNS:localhost`.
  ///   - days: how long it is valid from now on; -1 ended yesterday.
  /// - Returns: their paths.
  func make(
    _ name: String, for names: String, days: Int = 2
  ) async throws -> (certificate: String, key: String) {
    try folder.write("subjectAltName=\(names)\n", to: "\(name).ext")
    try await openssl(
      "req", "-new", "-subj", "/CN=\(name)", "-nodes", "-newkey", "ec",
      "-pkeyopt", "ec_paramgen_curve:prime256v1", "-keyout", "\(name).key", "-out", "\(name).csr")
    try await openssl(
      "x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key",
      "-CAcreateserial", "-days", "\(days)", "-extfile", "\(name).ext", "-out", "\(name).pem")
    return (folder.file("\(name).pem"), folder.file("\(name).key"))
  }

  /// Files are named within the folder.
  private func openssl(_ arguments: String...) async throws {
    let files = [".pem", ".key", ".csr", ".ext"]
    let placed = arguments.map { argument in
      files.contains { argument.hasSuffix($0) } ? folder.file(argument) : argument
    }
    let result = try await ChildProcess("/usr/bin/env", ["openssl"] + placed).wait()
    guard result.status == 0 else { throw ChildProcess.Failure(description: result.errors) }
  }
}
