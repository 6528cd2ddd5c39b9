/// The file beside a store that says who runs with it, and how the last run left it.
struct StoreSidecar: Sendable {
  let path: String

  init(storePath: String) {
    path = storePath + ".lock"
  }
}
