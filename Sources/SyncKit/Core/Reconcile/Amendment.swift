/// A wrong rule: what a test puts in place of the reconciler's decisions. Two are equal by name.
package struct Amendment: Sendable, Equatable {
  package typealias Rule =
    @Sendable (Decision, LocalEntry?, RemoteEntry?, BaseEntry?) -> Decision

  package let name: String
  package let amend: Rule

  package init(_ name: String, amend: @escaping Rule) {
    (self.name, self.amend) = (name, amend)
  }

  package static func == (lhs: Amendment, rhs: Amendment) -> Bool { lhs.name == rhs.name }
}
