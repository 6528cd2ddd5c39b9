extension Command {
  /// Every command, in the order of the help.
  static let table: [Command] = [
    .completions, .help, .version,
  ]
}
