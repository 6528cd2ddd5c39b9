import CSodium

extension ContentHash {
  /// The SHA-256 of the record's canonical contents.
  ///
  /// - Parameter omitsCreatedAt: set where the record it is compared with has no `createdAt`.
  public init(of project: Project, omitsCreatedAt: Bool = false) {
    self.init(
      bytes: SHA256.hash(CanonicalContents.bytes(of: project, omitsCreatedAt: omitsCreatedAt)))
  }
}

extension ContentComparison {
  /// Compares two records by the hashes of their contents; `createdAt` counts only if both have it.
  public init(local: Project, remote: Project) {
    let omits = local.createdAt == nil || remote.createdAt == nil
    self.init(
      local: ContentHash(of: local, omitsCreatedAt: omits),
      remote: ContentHash(of: remote, omitsCreatedAt: omits))
  }
}

package enum SHA256 {
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
    return digest
  }
}
