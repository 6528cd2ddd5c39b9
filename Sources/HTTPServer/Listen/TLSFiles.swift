#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A certificate and its private key, as PEM text.
package struct TLSFiles {
  let certificate: String
  let key: String

  /// - Returns: nil when neither path is given.
  /// - Throws: `ListenError` when only one is, or a file cannot be read or is not PEM.
  package init?(certificate: String?, key: String?) throws(ListenError) {
    guard certificate != nil || key != nil else { return nil }
    guard let certificate, let key else {
      throw ListenError(.usage, "TLS takes a certificate and a key, both")
    }
    self.certificate = try Self.read(certificate, "CERTIFICATE")
    self.key = try Self.read(key, "PRIVATE KEY")
  }

  private static func read(_ path: String, _ kind: String) throws(ListenError) -> String {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw ListenError(.configuration, "cannot read \(path)")
    }
    let text = String(decoding: data, as: UTF8.self)
    guard text.contains("-----BEGIN "), text.contains("\(kind)-----") else {
      throw ListenError(.configuration, "\(path) holds no PEM block \"\(kind)\"")
    }
    return text
  }
}
