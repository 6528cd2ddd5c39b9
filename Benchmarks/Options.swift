/// What the bench was asked for.
struct Options {
  var syncd = ".build/release/syncd"
  var isQuick = false
  /// The page whose figures are replaced.
  var page: String?
  /// Where temporary folders are made.
  var parent = Console.environment("TMPDIR") ?? "/tmp"
  private var only: [Part]?
  private var asked: [Int]?
  private var times: Int?

  /// What can be measured by itself.
  enum Part: String, CaseIterable {
    /// The dialect `syncd` over the loopback interface.
    case syncd
    /// The dialect `rest`: listings, a delta, an edit.
    case rest
    /// The dialect `rest`: a first sync of single PUTs.
    case puts
    /// Both dialects over a link that takes 25 ms each way.
    case delay
    /// The server under many clients.
    case serve
    /// The service that stays.
    case service
    /// Ways to read a listing's JSON.
    case decode
  }

  static let usage =
    "usage: syncd-bench [--syncd FILE] [--quick] [--only PART,…] [--sizes N,…] [--repeat N]"
    + " [--write PAGE] [--in FOLDER]\nparts: "
    + Part.allCases.map(\.rawValue).joined(separator: ", ")

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
      case "--only":
        only = try value().split(separator: ",").map { name in
          guard let part = Part(rawValue: String(name)) else { throw BenchError(Self.usage) }
          return part
        }
      case "--sizes":
        asked = try value().split(separator: ",").map { number in
          guard let size = Int(number), (200...10_000_000).contains(size), size % 200 == 0 else {
            throw BenchError("a size is a multiple of 200 from 200 on, not \(number)")
          }
          return size
        }.sorted()
      case "--repeat":
        guard let number = Int(try value()), (1...5).contains(number) else {
          throw BenchError("--repeat takes 1 to 5")
        }
        times = number
      case "--write": page = try value()
      case "--in": parent = try value()
      default: throw BenchError(Self.usage)
      }
    }
  }

  func includes(_ part: Part) -> Bool { only?.contains(part) ?? true }

  var sizes: [Int] { asked ?? (isQuick ? [1000, 10_000] : [1000, 10_000, 100_000, 1_000_000]) }

  /// How often a thing is measured that works on so many records.
  func repeats(_ records: Int) -> Int {
    let wanted = times ?? (isQuick ? 1 : 5)
    return records >= 1_000_000 ? min(wanted, 3) : wanted
  }
}
