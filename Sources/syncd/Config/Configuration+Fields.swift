import SyncKit

/// `remote.fields`: each field is a place, or an object that says more about it.
extension Configuration.Remote {
  mutating func readFields(_ remote: inout ConfigurationReader) {
    guard let section = remote.section("fields") else { return }
    fields.read(section)
    if let fault = fields.fault { section.fault(fault) }
  }
}

extension RecordFields {
  fileprivate mutating func read(_ section: ConfigurationReader) {
    let places: [(String, WritableKeyPath<RecordFields, String>)] = [
      ("id", \.id), ("title", \.title), ("body", \.body), ("dueAt", \.dueAt),
      ("etag", \.etag), ("version", \.version),
    ]
    var reader = section
    for (key, field) in places {
      if let place = reader.place(key) { self[keyPath: field] = place }
    }
    reader.field("state", place: &state) { section in
      if var words = section.section("words") {
        states = Dictionary(
          words.texts().map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
      }
    }
    let words = Set(states.values)
    if words.count < states.count {
      reader.fault("state", "gives one word to two states, which then could not be told apart")
    }
    reader.field("createdAt", place: &createdAt) { section in
      createdAtForm = section.choice("as", of: StampForm.self) ?? createdAtForm
    }
    reader.field("updatedAt", place: &updatedAt) { section in
      updatedAtForm = section.choice("as", of: StampForm.self) ?? updatedAtForm
    }
    var place: String?
    var form = ExtraForm.object
    reader.field("extra", place: &place) { section in
      form = section.choice("as", of: ExtraForm.self) ?? form
    }
    if let place { extra = form == .object ? .object(place) : .text(place) }
    reader.finish()
  }
}

private enum ExtraForm: String, CaseIterable { case object, string }

extension ConfigurationReader {
  /// The name of a member, or a JSON pointer to one.
  fileprivate mutating func place(_ key: String) -> String? {
    guard let name = string(key) else { return nil }
    if name.isEmpty || name == "/" {
      fault(key, "cannot be empty")
      return nil
    }
    return name
  }

  /// Reads a field that is a place, or an object with the place `at` and what `more` reads.
  fileprivate mutating func field(
    _ key: String, place: inout String?, more: (inout ConfigurationReader) -> Void
  ) {
    var copy = self
    if case .object? = copy.value(key), var section = section(key) {
      place = section.place("at") ?? place
      more(&section)
      section.finish()
    } else {
      place = self.place(key) ?? place
    }
  }

  fileprivate mutating func field(
    _ key: String, place: inout String, more: (inout ConfigurationReader) -> Void
  ) {
    var found: String? = place
    field(key, place: &found, more: more)
    place = found ?? place
  }
}
