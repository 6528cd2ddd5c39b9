/// The configuration that `init` writes: every key with its default, and what it means.
enum ConfigurationTemplate {
  static func text(store: String, remote: String?) -> String {
    let url =
      remote.map { "url: \(JSONText.string($0))," }
      ?? "// url: \"https://api.example.com/v1/projects\","
    return """
      // Configuration of syncd, in JSON5: comments and trailing commas are welcome.
      // Flags and the variables SYNCD_STORE, SYNCD_REMOTE and SYNCD_TOKEN come before what is here.
      {
        store: \(JSONText.string(store)),

        remote: {
          // The collection of projects.
          \(url)
          // dialect: "auto",  // auto | rest | syncd | kinto | couchdb | postgrest | pocketbase | firestore | webdav;
          //                   // see docs/remotes

          // Where the credentials are. One of bearer, basic and header; the secret itself is kept in
          // a file, a variable, the output of a command, or a credential of systemd.
          // auth: { bearer: { file: "~/.config/syncd/token" } },
          // auth: { bearer: { env: "PROJECTS_TOKEN" } },
          // auth: { bearer: { command: ["pass", "show", "projects"] } },
          // auth: { bearer: { credential: "projects-token" } },
          // auth: { basic: { user: "me", password: { file: "~/.config/syncd/password" } } },
          // auth: { header: { name: "X-Api-Key", value: { env: "API_KEY" } } },

          // What the remote calls the fields, where it has its own names: names or JSON pointers, or
          // { at: "…", as: "milliseconds" }, { at: "…", words: { todo: "TODO" } }; see docs/remotes.
          // fields: { id: "id", title: "title", body: "body", state: "state", dueAt: "dueAt",
          //           createdAt: "createdAt", updatedAt: "updatedAt" },
          // ids: "plain",             // or "base32hex", for servers that hold letters and digits alone
          // listAt: "data.items",     // where the list is, when it is not the whole answer
          // nextAt: "links.next",     // where the next page's address is, when no Link says so
          // query: "limit=1000",      // added to the list's address
          // headers: { "X-Tenant": "north" },
          // tls: { ca: "/etc/ssl/own-ca.pem", certificate: "client.pem", key: "client.key" },
          // timeouts: { connect: "10s", idle: "30s" },
          // retryFor: "20s",          // how long trouble is retried before a run gives up
          // concurrency: 8,           // requests at once, 1 to 64
          // allowInsecure: false,     // credentials over plain http, beyond this machine
        },

        // push: the remote is made equal to the store; pull: the other way; both: two-way.
        direction: "push",

        // What happens to records that only the side to be changed has: propagate deletes them,
        // known deletes those that both sides once had, never keeps them.
        deletions: "propagate",

        // Which version is kept when both sides changed a record: newest, local, remote; merge keeps
        // the changes of both, field by field; manual waits for syncd conflicts resolve.
        conflicts: "newest",

        // More deletions than this AND more than this share of a side: the run is refused.
        guards: { maxDeletions: 10, maxDeletionShare: 0.5 },

        service: {
          interval: "15m",
          debounce: "500ms",
          // socket: "/run/syncd/control.sock",
          // http: "127.0.0.1:8384",
        },

        // Commands that the service runs when something happened, as lists of words: no shell takes
        // them apart. Each is given a JSON object on its standard input.
        // hooks: {
        //   onSync: ["/usr/local/bin/rebuild-board"],
        //   onConflict: ["notify-send", "syncd", "conflicts wait for a decision"],
        //   onFailure: ["notify-send", "syncd", "out of sync"],
        //   onRecovered: ["notify-send", "syncd", "in sync again"],
        //   timeout: "30s",         // how long one may take
        // },

        history: { keep: "90d" },
        log: { level: "info", format: "auto" },  // error | warning | info | debug; auto | text | json
      }

      """
  }
}
