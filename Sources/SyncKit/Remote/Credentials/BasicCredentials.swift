#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The scheme `Basic`. RFC 7617.
enum BasicCredentials {
  static func value(user: String, password: String) -> String {
    "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
  }

  /// The password that the encoded pair holds; nil when it is no such pair.
  static func password(in encoded: Substring) -> String? {
    guard let data = Data(base64Encoded: String(encoded)),
      let pair = String(validating: data, as: UTF8.self), let colon = pair.firstIndex(of: ":")
    else { return nil }
    return String(pair[pair.index(after: colon)...])
  }
}
