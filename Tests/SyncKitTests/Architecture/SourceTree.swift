#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The package's own sources, read as text.
struct SourceTree {
  struct File {
    /// The path below `Sources`: `SyncKit/Store/Journal.swift`.
    var path: String
    var text: String

    /// The text without comments and without what stands between quotes.
    var code: String {
      text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
        var code = ""
        var inString = false
        var previous: Character = " "
        for character in line {
          if character == "\"", previous != "\\" { inString.toggle() }
          if !inString, character == "/", previous == "/" { break }
          if !inString { code.append(character) }
          previous = character
        }
        return code
      }.joined(separator: "\n")
    }

    /// The modules that the file imports.
    var imports: Set<String> {
      Set(
        code.split(separator: "\n").compactMap { line in
          let words = line.split(separator: " ").map(String.init)
          guard let index = words.firstIndex(of: "import"), index + 1 < words.count,
            words[..<index].allSatisfy({ $0.hasPrefix("@") || Self.accessLevels.contains($0) })
          else { return nil }
          return words[index + 1]
        })
    }

    /// The names of the types that the file declares at its top level.
    var declaredTypes: Set<String> {
      Set(
        code.split(separator: "\n").compactMap { line in
          guard line.first != " " else { return nil }
          let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
          guard let index = words.firstIndex(where: Self.declarations.contains),
            index + 1 < words.count, !words[..<index].contains("extension")
          else { return nil }
          return words[index + 1]
        })
    }

    /// Every identifier of the code.
    var identifiers: Set<String> {
      Set(code.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
    }

    private static let accessLevels: Set = [
      "public", "internal", "package", "private", "fileprivate",
    ]
    private static let declarations: Set = ["struct", "class", "enum", "actor", "protocol"]
  }

  let files: [File]

  /// - Parameter folder: a folder below `Sources`.
  init(_ folder: String = "") throws {
    let sources = Self.root + "/Sources/"
    let found = FileManager.default.enumerator(atPath: sources + folder)
    let paths = (found?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }
    files = try paths.sorted().map { path in
      let relative = folder.isEmpty ? path : folder + "/" + path
      return File(
        path: relative, text: try String(contentsOfFile: sources + relative, encoding: .utf8))
    }
  }

  /// The package's folder.
  static let root: String = {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return parts.dropLast(4).joined(separator: "/")
  }()
}
