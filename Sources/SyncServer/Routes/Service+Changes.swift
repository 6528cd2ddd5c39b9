internal import SyncKit

extension Service {
  func changes(_ request: Request, in space: String) throws -> Response { throw Problem(501, "") }
}
