// swift-tools-version: 6.2
import PackageDescription

/// The house rules: Swift 6 mode, no warnings, explicit existentials and imports.
let rules: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A C library that Debian and Homebrew carry; the module map is all we add to it.
func system(_ name: String, pkgConfig: String? = nil, apt: String, brew: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
}

let package = Package(
  name: "syncd",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "SyncKit", targets: ["SyncKit"]),
    .executable(name: "syncd", targets: ["syncd"]),
  ],
  targets: [
    system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
    system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
    system("CSodium", pkgConfig: "libsodium", apt: "libsodium-dev", brew: "libsodium"),
    system(
      "CMicrohttpd", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev", brew: "libmicrohttpd"),
    system("CExpat", pkgConfig: "expat", apt: "libexpat1-dev", brew: "expat"),
    system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev", brew: "zlib"),
    system("CGetopt", apt: "libc6-dev", brew: "libc"),
    .systemLibrary(name: "CLinux"),
    system("CSpawn", apt: "libc6-dev", brew: "libc"),

    .target(name: "SyncCore", path: "Sources/SyncKit/Core", swiftSettings: rules),
    .target(
      name: "SyncKit",
      dependencies: [
        "SyncCore", "CSQLite", "CCurl", "CExpat", "CSodium", "CSpawn", "CZlib",
        .target(name: "CLinux", condition: .when(platforms: [.linux])),
      ],
      path: "Sources/SyncKit", exclude: ["Core"], swiftSettings: rules),
    .target(
      name: "HTTPServer", dependencies: ["SyncCore", "CMicrohttpd"], swiftSettings: rules),
    .target(
      name: "SyncServer", dependencies: ["SyncKit", "HTTPServer", "CSodium"],
      swiftSettings: rules),
    .executableTarget(
      name: "syncd",
      dependencies: [
        "SyncKit", "SyncServer", "HTTPServer", "CGetopt",
        .target(name: "CLinux", condition: .when(platforms: [.linux])),
      ],
      swiftSettings: rules,
      // See IdlePool.swift.
      linkerSettings: [
        .unsafeFlags(
          ["-Xlinker", "--wrap=dispatch_source_set_timer"], .when(platforms: [.linux]))
      ]),

    .executableTarget(
      name: "syncd-bench", dependencies: ["CSQLite", "CCurl", "SyncCore"], path: "Benchmarks",
      swiftSettings: rules),

    .target(
      name: "TestSupport", dependencies: ["SyncKit"], path: "Tests/TestSupport",
      swiftSettings: rules),
    .target(
      name: "Simulation",
      dependencies: ["SyncKit", "SyncServer", "HTTPServer", "TestSupport", "CSQLite"],
      path: "Tests/Simulation", swiftSettings: rules),
    .executableTarget(
      name: "syncd-simulate", dependencies: ["Simulation"], path: "Tests/SimulationTool",
      swiftSettings: rules),
    .testTarget(
      name: "SimulationTests", dependencies: ["Simulation"], swiftSettings: rules),
    .testTarget(
      name: "SyncKitTests", dependencies: ["SyncKit", "SyncServer", "TestSupport"],
      resources: [.copy("Fixtures")], swiftSettings: rules),
    .testTarget(
      name: "HTTPServerTests", dependencies: ["HTTPServer", "TestSupport"], swiftSettings: rules),
    .testTarget(
      name: "SyncServerTests", dependencies: ["SyncKit", "SyncServer", "TestSupport"],
      swiftSettings: rules),
    .testTarget(
      name: "syncdTests", dependencies: ["syncd", "SyncKit", "HTTPServer", "TestSupport"],
      swiftSettings: rules),
  ]
)
