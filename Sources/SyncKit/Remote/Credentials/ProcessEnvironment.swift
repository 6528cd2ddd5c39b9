#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What this process is given from outside: variables and small files.
package enum ProcessEnvironment {
  static func value(of name: String) -> String? {
    ProcessInfo.processInfo.environment[name]
  }

  /// Every variable as `NAME=value`.
  package static var variables: [String] {
    ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
  }

  /// The file's bytes; nil when it cannot be read.
  static func contents(ofFile path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path).map { [UInt8]($0) }
  }
}
