#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// RFC 4648, section 4.
package enum Base64 {
  package static func text(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  /// Nil where the text is none of base64.
  package static func bytes(_ text: some Sequence<UInt8>) -> [UInt8]? {
    Data(base64Encoded: Data(text)).map { Array($0) }
  }
}
