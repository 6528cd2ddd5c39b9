extension Command {
  /// Every command, in the order of the help.
  static let table: [Command] = [
    .initialize, .service, .once, .plan, .status, .sync, .pause, .resume, .watch,
    .add, .edit, .remove, .list, .show, .history, .restore, .conflicts, .import, .export,
    .verify, .check, .serve, .completions, .help, .version,
  ]
}
