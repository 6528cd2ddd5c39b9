extension Command {
  static let completions = Command(
    "completions", summary: "print the completion script of a shell",
    details: """
      For one session: source <(syncd completions bash). To keep it, write it where the shell \
      looks: /usr/share/bash-completion/completions/syncd, a directory of zsh's fpath under the \
      name _syncd, or ~/.config/fish/completions/syncd.fish.
      """,
    operands: [
      Operand(name: "SHELL", kind: .choice(Completions.Shell.allCases.map(\.rawValue)))
    ],
    run: { invocation in
      guard let shell = invocation.operand.flatMap(Completions.Shell.init(rawValue:)) else {
        throw invocation.usage("syncd completions needs SHELL")
      }
      try invocation.console.print(Completions.script(for: shell))
      return .success
    })
}
