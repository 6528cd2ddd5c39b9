internal import SyncKit

extension Service {
  func batch(_ request: Request, in space: String) throws -> Response { throw Problem(501, "") }
}
