internal import HTTPServer
internal import SyncKit

extension Problem {
  static let preconditionFailed = Problem(412, "the record is not the one the request names")

  static func absent(_ id: ProjectID) -> Problem {
    Problem(404, "there is no project with this id")
  }
}
