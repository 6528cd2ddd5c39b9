extension Command {
  /// Every command, in the order of the help.
  static let table: [Command] = [
    .initialize,
    .add, .edit, .remove, .list, .show, .history, .restore,
    .completions, .help, .version,
  ]
}
