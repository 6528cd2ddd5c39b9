import Testing

@testable import SyncKit

@Test func zzdump() throws { _ = try LocalStore(path: "/tmp/st/x.db") }
