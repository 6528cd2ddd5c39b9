import SyncKit

extension Configuration {
  /// Hides what this configuration knows of secrets: those that stand in it, and those of the
  /// environment. What a file or a command gives is read by the remote, which says it to nobody.
  func redaction(_ environment: Environment) -> Redaction {
    var redaction = Redaction()
    if let token = environment["SYNCD_TOKEN"] { redaction.hide(token) }
    switch remote.authorization?.secret {
    case .text(let text)?: redaction.hide(text)
    case .environment(let name)?:
      if let value = environment[name] { redaction.hide(value) }
    default: break
    }
    for header in remote.headers { redaction.hide(header: header.name, header.value) }
    return redaction
  }
}
