/// What the bench was asked for.
struct Options {
  var syncd = ".build/release/syncd"
  var isQuick = false
  /// The page whose figures are replaced.
  var page: String?
  /// Where temporary folders are made.
  var parent = Console.environment("TMPDIR") ?? "/tmp"
  private var only: String?

  static let usage =
    "usage: syncd-bench [--syncd FILE] [--quick] [--only puts|batch] [--write PAGE] [--in FOLDER]"

  init(_ words: [String]) throws {
    var rest = words[...]
    func value() throws -> String {
      guard let value = rest.popFirst() else { throw BenchError(Self.usage) }
      return value
    }
    while let word = rest.popFirst() {
      switch word {
      case "--syncd": syncd = try value()
      case "--quick": isQuick = true
      case "--only": only = try value()
      case "--write": page = try value()
      case "--in": parent = try value()
      default: throw BenchError(Self.usage)
      }
    }
    guard only == nil || only == "puts" || only == "batch" else { throw BenchError(Self.usage) }
  }

  func includes(_ part: String) -> Bool { only == nil || only == part }
}
