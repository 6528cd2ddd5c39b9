import SyncKit

extension Command {
  static let service = Command(
    "run", summary: "the service: stays, and synchronizes when something changes",
    details: """
      Runs in the foreground, for systemd, launchd or a terminal. It synchronizes at the start, within \
      a second of a change in the store by any program, when the remote says that something changed, \
      when the network comes back, and every service.interval. SIGTERM finishes what is under way; \
      SIGHUP reads the configuration again; SIGUSR1 synchronizes now. What happens is logged on \
      standard error.
      """,
    examples: [
      Example("syncd run", "with the usual configuration"),
      Example(
        "syncd run --store projects.db --remote http://127.0.0.1:8383/v1/projects", "without any"),
    ],
    run: { invocation in
      try await ServiceDaemon(invocation).run()
      return .success
    })
}
