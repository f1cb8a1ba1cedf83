// swift-tools-version: 6.2
import PackageDescription

/// The settings of every target.
let sharedSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = [], isOptimized: Bool = true) -> Target {
  .target(
    name: name, dependencies: dependencies,
    swiftSettings: isOptimized
      ? sharedSettings : sharedSettings + [.unsafeFlags(["-Onone"], .when(configuration: .release))])
}

/// A library that only the server has. It is optimized in debug builds, too: the tests run the program hundreds of times, which
/// took a fifth longer without.
func serverLibrary(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(
    name: name, dependencies: dependencies,
    swiftSettings: sharedSettings + [.unsafeFlags(["-O"], .when(configuration: .debug))])
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: sharedSettings)
}

/// A product that commands need, of the server and of build machines.
func tool(_ product: String, _ package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: ["Tools"]))
}

/// A product that only the server needs. Without the trait `Server` its package is not even fetched.
func server(_ product: String, _ package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: ["Server"]))
}

let asn1 = server("SwiftASN1", "swift-asn1")
let arguments = tool("ArgumentParser", "swift-argument-parser")
let httpTypes = server("HTTPTypes", "swift-http-types")
let hummingbird = server("Hummingbird", "hummingbird")
let hummingbirdCore = server("HummingbirdCore", "hummingbird")
let unixSignals = server("UnixSignals", "swift-service-lifecycle")
let lifecycle = server("ServiceLifecycle", "swift-service-lifecycle")
let logging = server("Logging", "swift-log")
let metrics = server("Metrics", "swift-metrics")
let coreMetrics = server("CoreMetrics", "swift-metrics")
let nioHTTP1 = server("NIOHTTP1", "swift-nio")
let nioPosix = server("NIOPosix", "swift-nio")
let nioCore = server("NIOCore", "swift-nio")
let yams = server("Yams", "Yams")

/// Apple's platforms have CryptoKit; elsewhere the same interface comes from swift-crypto.
let crypto = Target.Dependency.product(
  name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.linux]))

/// Only the server derives keys from passwords.
let cryptoExtras = server("CryptoExtras", "swift-crypto")

let package = Package(
  name: "ringfence",
  // iOS and Mac Catalyst: the least that the kit needs. macOS: the least that the server needs.
  platforms: [.macOS(.v15), .macCatalyst(.v15), .iOS(.v15)],
  products: [
    .library(name: "CallerPack", targets: ["CallerPack"]),
    .library(name: "CallerPackBuilder", targets: ["CallerPackBuilder"]),
    .library(name: "CallDirectory", targets: ["CallDirectory"]),
    .library(name: "RingfenceClient", targets: ["RingfenceClient"]),
    .library(name: "PhoneNumbers", targets: ["PhoneNumbers"]),
    .executable(name: "ringfence", targets: ["ringfence"]),
    .executable(name: "ringfence-packs", targets: ["ringfence-packs"]),
    .plugin(name: "UpdatePacks", targets: ["UpdatePacks"]),
  ],
  // An app that depends on this package with `traits: []` gets the libraries alone.
  traits: [
    .default(enabledTraits: ["Server"]),
    .trait(
      name: "Server", description: "The server, its command-line tool and the packages that they need.",
      enabledTraits: ["Tools"]),
    .trait(name: "Tools", description: "ringfence-packs, the tool of build machines, and the package that it needs."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: ["FullFoundation"]),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // System libraries.
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CQRCode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

    // The kit: Linux, macOS and iOS. Support: times, files that are complete or absent, CBOR, XML.
    library("Support"),
    library("CallerPack", ["CZlib", "Support", crypto]),
    library("CallDirectory", ["CallerPack", "Support"]),
    library("RingfenceClient", ["CallerPack", "Support", "PhoneNumbers"]),
    // Telephone numbers and numbering plans, without a package or a system library.
    library("PhoneNumbers"),

    library("CallerPackBuilder", ["CallerPack", "CZlib"]),

    // The tool of build machines: Linux and macOS. Its commands are commands of the server, too.
    library("PackFormats", ["CallerPack", "Support", "CZlib"]),
    library("OutboundHTTP", ["CallerPack"]),
    library("Fetching", ["OutboundHTTP", "CallerPack", "Support"]),
    library(
      "PackCommands",
      [
        "CallerPack", "CallerPackBuilder", "Fetching", "OutboundHTTP", "PackFormats", "PhoneNumbers", "Support",
        .target(name: "RingfenceClient", condition: .when(platforms: [.macOS])), arguments,
      ]),
    .executableTarget(name: "ringfence-packs", dependencies: ["PackCommands"], swiftSettings: sharedSettings),
    // It builds the tool when it runs: as a dependency, the tool and its packages would be built twice in every build.
    .plugin(
      name: "UpdatePacks",
      capability: .command(
        intent: .custom(verb: "update-packs", description: "Replace the packs by those of the newest publication."),
        permissions: [
          .allowNetworkConnections(scope: .all(), reason: "It downloads the publication."),
          .writeToPackageDirectory(reason: "It replaces the packs."),
        ])),

    // Executors, threads, rounds of jobs, metrics and logs.
    serverLibrary("ServerSupport", [logging, coreMetrics]),

    // The domain, without HTTP, SQL or I/O of its own.
    serverLibrary("Curation", ["PhoneNumbers", "Support"]),
    library("Attestation", ["Support", "Curation", asn1, crypto, cryptoExtras]),

    // PostgreSQL and everything that knows SQL.
    serverLibrary("PostgreSQL", ["Support", "ServerSupport", "CLibPQ", "CSpawn", logging]),
    .systemLibrary(name: "CSpawn"),
    serverLibrary("Storage", ["PostgreSQL", "Curation", "PhoneNumbers", "Support", crypto]),

    // Accounts: passwords, second factors, attempts.
    serverLibrary(
      "Accounts",
      [
        "ServerSupport", "CallerPack", "Support", "CurlHTTP", "OutboundHTTP", "Storage", "Curation", "CQRCode", crypto,
        cryptoExtras, logging,
      ]),

    // Other servers.
    library("CurlHTTP", ["ServerSupport", "CCurl", "OutboundHTTP"]),

    // Services of the server.
    library("PackDatabases", ["PackFormats", "CSQLite", "Support"]),
    serverLibrary("Moderation", ["PostgreSQL", "Storage", "Curation", "PhoneNumbers", "Support", crypto]),
    serverLibrary("Intake", ["PostgreSQL", "Storage", "Curation", "Support", "PhoneNumbers", crypto, metrics]),
    serverLibrary(
      "Importing",
      [
        "ServerSupport", "CurlHTTP", "Fetching", "Support", "Intake", "OutboundHTTP", "Storage", "PostgreSQL",
        "Curation", "PhoneNumbers", "CallerPack", "CZlib", yams, crypto, logging,
      ]),
    serverLibrary(
      "Publishing",
      [
        "ServerSupport", "Moderation", "Storage", "PostgreSQL", "Curation", "PhoneNumbers", "CallerPackBuilder",
        "CallerPack", "Support", "PackDatabases", "PackFormats", "OutboundHTTP", yams, crypto, logging,
      ]),
    library(
      "Jobs",
      [
        "ServerSupport", "CallerPack", "Importing", "Intake", "Moderation", "Publishing", "Storage", "Curation",
        "Support", "CurlHTTP", "OutboundHTTP", "PostgreSQL", logging,
      ], isOptimized: false),
    // Delivery: HTTP ends here. API and ModerationSite do not know each other.
    serverLibrary(
      "HTTPServer",
      [
        "Accounts", "Intake", "Publishing", "Storage", "Curation", "PhoneNumbers", "CallerPack", "Support",
        "ServerSupport", hummingbird, hummingbirdCore, httpTypes, nioCore, nioHTTP1, nioPosix,
        yams,
        crypto, logging, metrics,
      ]),
    serverLibrary(
      "API",
      [
        "HTTPServer", "Attestation", "Intake", "Importing", "Moderation", "Publishing", "Storage",
        "Curation", "PhoneNumbers", "CallerPack", "PackFormats", "ServerSupport", "Support", hummingbird,
        httpTypes,
        nioCore, nioHTTP1, crypto, logging, metrics,
      ]),
    serverLibrary(
      "ModerationSite",
      [
        "HTTPServer", "Accounts", "Intake", "Importing", "Moderation", "Publishing",
        "PackFormats", "Storage", "Curation", "PhoneNumbers", "CallerPack", "Support", hummingbird,
        httpTypes, nioCore, nioPosix, crypto, logging,
      ]),

    // Composition.
    // Commands wait for the database and for other targets: without optimization they compile in a third of the time.
    library(
      "RingfenceCommand",
      [
        "ServerSupport", "Attestation", "API", "HTTPServer", "Moderation", "ModerationSite",
        "Accounts",
        "Publishing", "Intake", "Importing", "Jobs", "Storage", "PostgreSQL", "Curation",
        "PhoneNumbers", "CallDirectory", "Support", "CallerPack", "PackCommands", "PackDatabases", "PackFormats",
        "Fetching", "CurlHTTP", "OutboundHTTP", hummingbird, hummingbirdCore, httpTypes, arguments, lifecycle,
        unixSignals, logging, nioCore,
        metrics, yams,
      ], isOptimized: false),
    .executableTarget(name: "ringfence", dependencies: ["RingfenceCommand"], swiftSettings: sharedSettings),

    // `make benchmark-pack`; portable, like the kit that it measures.
    .executableTarget(
      name: "pack-benchmark", dependencies: ["CallerPack", "CallerPackBuilder"], path: "Benchmarks/pack-benchmark",
      swiftSettings: sharedSettings),

    // Tests: one folder a target.
    .target(name: "TestData", path: "Tests/TestData", exclude: ["Fixtures"], swiftSettings: sharedSettings),
    .target(
      name: "TestSupport",
      dependencies: ["TestData", "PostgreSQL", "Storage", "Curation", logging],
      path: "Tests/TestSupport", swiftSettings: sharedSettings),
    .target(
      name: "AttestationSupport", dependencies: ["Attestation", "Curation", asn1, crypto],
      path: "Tests/AttestationSupport", swiftSettings: sharedSettings),
    tests(
      "AttestationTests", ["Attestation", "AttestationSupport", "Curation", "TestData", asn1, crypto, cryptoExtras]),
    tests(
      "AccountsTests",
      ["Accounts", "Support", "Curation", "PostgreSQL", "Storage", "TestData", "TestSupport", crypto, cryptoExtras]),
    tests("SupportTests", ["Support", "TestSupport"]),
    tests("ServerSupportTests", ["ServerSupport", logging, metrics]),
    tests("CallDirectoryTests", ["CallDirectory", "CallerPack", "CallerPackBuilder", "TestData"]),
    tests("CallerPackTests", ["CallerPack", "CallerPackBuilder", "TestData", crypto], exclude: ["Golden"]),
    tests("CurationTests", ["TestData", "Curation", "TestSupport"]),
    tests(
      "FetchingTests",
      [
        "CurlHTTP", "Fetching", "Support", "OutboundHTTP", "Publishing", "CallerPack", "CallerPackBuilder",
        "RingfenceClient",
        "TestSupport",
      ]),
    tests(
      "ImportingTests",
      [
        "Importing", "CallerPack", "Curation", "Intake", "Moderation", "OutboundHTTP", "PackDatabases", "PackFormats",
        "PhoneNumbers",
        "PostgreSQL", "Publishing", "Storage", "CZlib", "TestData", "TestSupport", crypto, logging,
      ]),
    tests(
      "IntakeTests",
      [
        "Intake", "Jobs", "Curation", "PhoneNumbers", "PostgreSQL", "Storage", "ServerSupport", "Support",
        "TestSupport",
      ]),
    tests("LocalizationTests", ["HTTPServer", "Curation", "Importing", "TestSupport"]),
    tests(
      "ModerationTests",
      ["Moderation", "Curation", "PhoneNumbers", "PostgreSQL", "Storage", "TestSupport"]),
    tests("OutboundHTTPTests", ["CurlHTTP", "OutboundHTTP", "PackCommands"]),
    tests(
      "PackFormatsTests",
      [
        "PackCommands", "PackDatabases", "PackFormats", "RingfenceCommand", "CallerPack", "TestData", arguments,
      ], exclude: ["Golden"]),
    tests("PhoneNumbersTests", ["PhoneNumbers", "TestData"]),
    // What Tests/Numbers compares with another program.
    .executableTarget(
      name: "number-probe", dependencies: ["PhoneNumbers"], path: "Tests/NumberProbe", swiftSettings: sharedSettings),
    tests("PostgreSQLTests", ["PostgreSQL", "CLibPQ", "Support", "TestData", logging]),
    tests(
      "PublishingTests",
      [
        "Publishing", "CallerPack", "CallerPackBuilder", "Curation", "Support", "Jobs", "Moderation",
        "CurlHTTP", "OutboundHTTP",
        "PackFormats", "PhoneNumbers", "PostgreSQL", "Storage", "TestSupport",
      ]),
    tests(
      "StorageTests", ["Storage", "Curation", "Moderation", "PhoneNumbers", "PostgreSQL", "Support", "TestSupport"]),
    tests(
      "RingfenceServerTests",
      [
        "RingfenceCommand", "API", "AttestationSupport", "HTTPServer", "Moderation", "ModerationSite", "Accounts",
        "Publishing", "CallerPack", "CallerPackBuilder", "Curation", "Intake", "Jobs",
        "PackFormats",
        "PhoneNumbers",
        "PostgreSQL", "RingfenceClient", "Storage", "ServerSupport", "Support", "TestSupport", hummingbird,
        httpTypes, nioCore, nioHTTP1, nioPosix, crypto, lifecycle, logging, metrics,
      ]),
    tests("RingfenceClientTests", ["RingfenceClient", "CallerPack", "TestData"]),
    // A small app around RingfenceClient, which tests kill.
    .executableTarget(
      name: "client-probe", dependencies: ["RingfenceClient"], path: "Tests/ClientProbe", swiftSettings: sharedSettings),
    tests(
      "RingfenceCommandTests",
      [
        "RingfenceCommand", "API", "ServerSupport", "CallerPack", "Curation", "Importing", "Intake",
        "ModerationSite", "PhoneNumbers", "PostgreSQL", "Publishing", "Storage", "TestData", "TestSupport",
        arguments,
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// The benchmarks are built only where this variable is set, as `make benchmark` and `make test-slow` do. They share the
// folder of the build, so nothing is built twice.
if Context.environment["RINGFENCE_BENCHMARKS"] != nil {
  package.dependencies.append(.package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"))
  package.targets += [
    .target(
      name: "BenchmarkCommand",
      dependencies: [
        "ServerSupport", "CallerPack", "CallerPackBuilder", "Curation", "PostgreSQL", "Importing",
        "PhoneNumbers",
        "Publishing", "RingfenceCommand", "Storage", "Support", arguments, crypto,
        server("Histogram", "hdrhistogram-swift"),
      ],
      path: "Benchmarks/BenchmarkCommand", swiftSettings: sharedSettings),
    .executableTarget(
      name: "ringfence-benchmark", dependencies: ["BenchmarkCommand"], path: "Benchmarks/ringfence-benchmark",
      swiftSettings: sharedSettings),
    .testTarget(
      name: "BenchmarkCommandTests",
      dependencies: ["BenchmarkCommand", "PostgreSQL", "RingfenceCommand", "TestSupport", logging],
      path: "Benchmarks/BenchmarkCommandTests", swiftSettings: sharedSettings),
  ]
}
