extension Command {
  private static let man = CommandOption("man", help: "print the manual page syncd(1) as roff")

  static let help = Command(
    "help", summary: "explain a command",
    operands: [Operand(name: "COMMAND", kind: .command, isOptional: true, repeats: true)],
    options: [man],
    examples: [Example("syncd help once", "what once does and takes")],
    run: { invocation in
      let words = invocation.arguments.operands
      if invocation.arguments.has(man) {
        try invocation.console.print(ManualPage.text)
      } else if words.isEmpty {
        try invocation.console.print(HelpText.overview)
      } else if let command = table.at(words) {
        try invocation.console.print(HelpText.command(command))
      } else {
        throw UsageError.unknownCommand(words.joined(separator: " "), among: table)
      }
      return .success
    })
}
