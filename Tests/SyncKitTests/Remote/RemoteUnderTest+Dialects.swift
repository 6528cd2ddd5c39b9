import Synchronization
import TestSupport
import Testing

@testable import SyncKit

extension RemoteUnderTest {
  /// Every dialect before its real server, or before a double of it.
  static var dialects: [RemoteUnderTest] {
    [kinto, couchdb, postgrest, pocketbase] + firestore + webdav
  }

  /// Those among them that tell what changed.
  static var dialectsTellingChanges: [RemoteUnderTest] { [kinto, couchdb] }

  static let kinto = RemoteUnderTest(name: "kinto before a real Kinto") {
    var options = RemoteOptions(url: try await KintoServer.shared.collection())
    options.dialect = .kinto
    options.credentials = Authorization.basic(
      user: KintoServer.user, password: KintoServer.password)
    return try instance(options, over: CurlTransport())
  }

  static let couchdb = RemoteUnderTest(name: "couchdb before a double") {
    var habits = CouchModel.Habits()
    habits.login = "YWxpY2U6czNjcmV0"
    var options = RemoteOptions(url: "http://localhost/projects")
    options.dialect = .couchdb
    options.credentials = Authorization.basic(user: "alice", password: "s3cret")
    return try instance(options, over: CouchModel(habits).transport)
  }

  static let postgrest = RemoteUnderTest(name: "postgrest before a double") {
    var habits = PostgRESTModel.Habits()
    habits.token = "good"
    habits.maximumRows = 100
    var options = RemoteOptions(url: "http://localhost/projects")
    options.dialect = .postgrest
    options.credentials = Authorization.bearer("good")
    return try instance(options, over: PostgRESTModel(habits).transport)
  }

  static let pocketbase = RemoteUnderTest(name: "pocketbase before a real PocketBase") {
    let server = try await PocketBaseServer.shared
    var options = RemoteOptions(url: try await server.collection())
    options.dialect = .pocketbase
    options.ids = .base32hex
    options.credentials = Authorization.bearer(server.token)
    return try instance(options, over: CurlTransport())
  }

  static let firestore = [true, false].map { hasBatchWrite in
    RemoteUnderTest(
      name: "firestore before a double" + (hasBatchWrite ? "" : " that writes all or nothing")
    ) {
      var habits = FirestoreModel.Habits()
      (habits.token, habits.hasBatchWrite) = ("good", hasBatchWrite)
      habits.marksEnd = hasBatchWrite
      var options = RemoteOptions(url: FirestoreModel.url)
      options.dialect = .firestore
      options.credentials = Authorization.bearer("good")
      return try instance(options, over: FirestoreModel(habits).transport)
    }
  }

  static let webdav = WebDAVServer.Kind.allCases.map { kind in
    RemoteUnderTest(name: "webdav before a real \(kind)") {
      var options = RemoteOptions(url: try await WebDAVServer.shared(kind).folder())
      options.dialect = .webdav
      options.credentials = Authorization.basic(
        user: WebDAVServer.user, password: WebDAVServer.password)
      return try instance(options, over: CurlTransport())
    }
  }

  /// A remote over a transport that can be broken, and another device that goes another way.
  static func instance(
    _ options: RemoteOptions, over transport: any HTTPTransport,
    stop: @escaping @Sendable () async -> Void = {}
  ) throws -> Instance {
    let interrupted = InterruptedTransport(transport)
    let clock = JumpingClock()
    let remote = try makeRemote(options, transport: interrupted, clock: clock, random: { 0.5 })
    let other = try makeRemote(options, transport: transport, clock: clock, random: { 0.5 })
    var instance = Instance(
      remote: remote,
      put: { try await other.overwrite($0) },
      projects: {
        let ids = Array(try await other.digests().keys)
        var projects: [ProjectID: Project] = [:]
        for chunk in ids.chunks(of: await other.limits.fetchesPerRequest) {
          for case .record(let record) in try await other.fetch(chunk) {
            projects[record.project.id] = record.project
          }
        }
        return projects
      }, stop: stop)
    instance.interruption = interrupted
    if let type = SyncKit.dialects.first(where: { $0.word == options.dialect }) {
      instance.fault = { type.fault(ofID: options.ids.encode($0.string)) }
    }
    if !(options.credentials is NoCredentials) {
      var strange = options
      let isBasic = "\(options.credentials)".contains("password")
      strange.credentials =
        isBasic
        ? Authorization.basic(user: "nobody", password: "wrong") : Authorization.bearer("x.y.z")
      instance.stranger = try makeRemote(strange, transport: transport, clock: clock)
    }
    return instance
  }
}

extension RemoteStore {
  /// Stores a record whatever is there, as another device does that has seen it.
  func overwrite(_ project: Project) async throws {
    var condition = WriteCondition.absent
    if case .record(let record) = try await fetch([project.id])[0] {
      condition = .matches(record.digest)
    }
    let outcome = try await write(.put(project, condition))
    if outcome.digest == nil { throw Unwritten(description: "\(project.id): \(outcome)") }
  }
}

private struct Unwritten: Error, CustomStringConvertible {
  var description: String
}
