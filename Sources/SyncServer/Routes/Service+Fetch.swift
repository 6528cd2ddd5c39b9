internal import SyncKit

extension Service {
  func fetch(_ request: Request, in space: String) throws -> Response { throw Problem(501, "") }
}
