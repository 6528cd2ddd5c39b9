import SyncKit

extension Command {
  static let export = Command(
    "export", summary: "write all projects to a file",
    details: """
      Without FILE, or with -, to standard output as a JSON array. A file's name tells the format: \
      .json, .ndjson, .csv; any other name needs --format. A file that is there already is replaced once the new one is whole.
      """,
    operands: [Operand(name: "FILE", kind: .file, isOptional: true)],
    options: [.format],
    examples: [Example("syncd export projects.csv", "for a spreadsheet")],
    run: { invocation in
      let path = invocation.operand ?? "-"
      let named = invocation.arguments[.format].flatMap(ExchangeFormat.init(rawValue:))
      guard
        let format = named ?? ExchangeFormat(fileName: path) ?? (path == "-" ? .json : nil)
      else {
        throw invocation.usage(
          "\(path): the name tells no format that is known: "
            + ExchangeFormat.allCases.map(\.rawValue).joined(separator: ", ")
            + "; rename it, or give --format")
      }
      let store = try invocation.readStore()
      let progress = Progress(invocation.console)
      defer { progress.finish() }
      if path == "-" {
        try await ProjectWriter(sink: invocation.console.out, format: format)
          .write(store, progress)
      } else {
        let count = try await ReplacedFile.write(path) { sink in
          try await ProjectWriter(sink: sink, format: format).write(store, progress)
        }
        progress.finish()
        if invocation.printsJSON {
          try invocation.console.print(
            JSONText.object(["exported": .number(count), "file": .string(path)]).description)
        } else if !invocation.console.isQuiet {
          try invocation.console.print("exported \(counted(count, "project")) to \(path)")
        }
      }
      return .success
    })
}
