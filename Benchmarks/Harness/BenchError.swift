/// Why the bench could not go on; the message is for whoever runs it.
struct BenchError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
