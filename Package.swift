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

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: sharedSettings)
}

/// A product that only the server needs. Without the trait `Server` its package is not even fetched.
func server(_ product: String, _ package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: ["Server"]))
}

let asn1 = server("SwiftASN1", "swift-asn1")
let arguments = server("ArgumentParser", "swift-argument-parser")
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
  ],
  // An app that depends on this package with `traits: []` gets the libraries alone.
  traits: [
    .default(enabledTraits: ["Server"]),
    .trait(name: "Server", description: "The server, its command-line tool and the packages that they need."),
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

    // The kit: Linux, macOS and iOS. Timestamps: calendar arithmetic. FileSupport: files that are complete or absent,
    // locks of folders.
    library("Timestamps"),
    library("FileSupport"),
    library("CallerPack", ["CZlib", "FileSupport", "Timestamps", crypto]),
    library("CallDirectory", ["CallerPack", "FileSupport"]),
    library("RingfenceClient", ["CallerPack", "FileSupport", "PhoneNumbers"]),
    // Telephone numbers and numbering plans, without a package or a system library.
    library("PhoneNumbers"),

    // CBOR without floats, tags and indefinite lengths.
    library("CBOR"),

    // XML without document types.
    library("XMLSyntax"),

    // Executors, threads, lazy values, rounds of jobs.
    library("AsyncSupport", [logging]),

    // Metrics and logs.
    library("Telemetry", [logging, coreMetrics]),

    // The domain, without HTTP, SQL or I/O of its own.
    library("Curation", ["PhoneNumbers"]),
    library("Attestation", ["CBOR", "Curation", "Timestamps", asn1, crypto, cryptoExtras]),

    // PostgreSQL and everything that knows SQL.
    library("PostgreSQL", ["AsyncSupport", "CLibPQ", logging]),
    .systemLibrary(name: "CSpawn"),
    library(
      "EmbeddedPostgreSQL", ["AsyncSupport", "CLibPQ", "CSpawn", "FileSupport", logging], isOptimized: false),
    library("Storage", ["PostgreSQL", "Curation", "PhoneNumbers", "Timestamps", crypto]),

    // Accounts: passwords, second factors, attempts.
    library(
      "Accounts",
      ["AsyncSupport", "CBOR", "OutboundHTTP", "Storage", "Curation", "CQRCode", crypto, cryptoExtras, logging]),

    // Other servers.
    library("OutboundHTTP", ["AsyncSupport", "CCurl", "CallerPack"]),
    library("Fetching", ["OutboundHTTP", "CallerPack", "FileSupport"]),

    // Pages out of templates.
    library("PageTemplates"),

    // Services of the server.
    library("CallerPackBuilder", ["CallerPack", "CZlib"]),
    library("PackFormats", ["CallerPack", "FileSupport", "CSQLite", "CZlib", "XMLSyntax"]),
    library("Moderation", ["PostgreSQL", "Storage", "Curation", "PhoneNumbers", "Timestamps", crypto]),
    library("Intake", ["Storage", "Curation", "FileSupport", "PhoneNumbers", "Timestamps", crypto, metrics]),
    library(
      "Importing",
      [
        "AsyncSupport", "Fetching", "FileSupport", "Intake", "OutboundHTTP", "Storage", "Curation", "PhoneNumbers",
        "Timestamps", "CallerPack", "CZlib", "XMLSyntax", yams, crypto, logging,
      ]),
    library(
      "Publishing",
      [
        "AsyncSupport", "Moderation", "Storage", "PostgreSQL", "Curation", "PhoneNumbers", "CallerPackBuilder",
        "CallerPack", "FileSupport", "PackFormats", "OutboundHTTP", yams, crypto, logging,
      ]),
    library(
      "Jobs",
      [
        "AsyncSupport", "Importing", "Intake", "Moderation", "Publishing", "Storage", "Curation", "FileSupport",
        "OutboundHTTP", "PostgreSQL", logging,
      ], isOptimized: false),
    // Delivery: HTTP ends here. API and ModerationSite do not know each other.
    library("Localization", ["Curation"]),
    library(
      "HTTPServer",
      [
        "Accounts", "Intake", "Publishing", "Storage", "Curation", "PhoneNumbers", "CallerPack", "FileSupport",
        "Telemetry", "Timestamps", "Localization", hummingbird, hummingbirdCore, httpTypes, nioCore, nioHTTP1, nioPosix,
        yams,
        crypto, logging, metrics,
      ]),
    library(
      "API",
      [
        "HTTPServer", "Attestation", "Localization", "Intake", "Importing", "Moderation", "Publishing", "Storage",
        "Curation", "PhoneNumbers", "CallerPack", "PackFormats", "Telemetry", "Timestamps", "XMLSyntax", hummingbird,
        httpTypes,
        nioCore, nioHTTP1, crypto, logging, metrics,
      ]),
    library(
      "ModerationSite",
      [
        "HTTPServer", "Localization", "PageTemplates", "Accounts", "Intake", "Importing", "Moderation", "Publishing",
        "PackFormats", "Storage", "Curation", "PhoneNumbers", "CallerPack", "Timestamps", "XMLSyntax", hummingbird,
        httpTypes, nioCore, nioPosix, crypto, logging,
      ]),

    // Composition.
    library(
      "RingfenceServer",
      [
        "API", "AsyncSupport", "HTTPServer", "Localization", "Moderation", "ModerationSite", "Importing", "Intake",
        "Jobs",
        "Publishing", "Storage",
        "CallerPack", "PhoneNumbers", "Telemetry", hummingbird, hummingbirdCore, httpTypes, lifecycle, unixSignals,
        logging, nioCore,
      ]),
    // Commands wait for the database and for other targets: without optimization they compile in a third of the time.
    library(
      "RingfenceCommand",
      [
        "AsyncSupport", "Attestation", "RingfenceServer", "API", "HTTPServer", "Moderation", "ModerationSite",
        "Localization",
        "Accounts",
        "Publishing", "Intake", "Importing", "Jobs", "Storage", "EmbeddedPostgreSQL", "PostgreSQL", "Curation",
        "PhoneNumbers", "CallDirectory", "FileSupport", "CallerPack", "CallerPackBuilder", "PackFormats", "Telemetry",
        "Timestamps", "Fetching", "OutboundHTTP", hummingbird, arguments, lifecycle, logging, nioCore,
        metrics, yams,
      ], isOptimized: false),
    .executableTarget(name: "ringfence", dependencies: ["RingfenceCommand"], swiftSettings: sharedSettings),

    // `make benchmark-pack`; portable, like the kit that it measures.
    .executableTarget(
      name: "pack-benchmark", dependencies: ["CallerPack", "CallerPackBuilder"], swiftSettings: sharedSettings),

    // Tests: one folder a target.
    .target(name: "TestData", path: "Tests/TestData", exclude: ["Fixtures"], swiftSettings: sharedSettings),
    .target(
      name: "TestSupport",
      dependencies: ["TestData", "EmbeddedPostgreSQL", "PostgreSQL", "Storage", "Curation", logging],
      path: "Tests/TestSupport", swiftSettings: sharedSettings),
    tests("AsyncSupportTests", ["AsyncSupport"]),
    .target(
      name: "AttestationSupport", dependencies: ["Attestation", "Curation", asn1, crypto],
      path: "Tests/AttestationSupport", swiftSettings: sharedSettings),
    tests(
      "AttestationTests", ["Attestation", "AttestationSupport", "Curation", "TestData", asn1, crypto, cryptoExtras]),
    tests("FileSupportTests", ["FileSupport", "TestSupport"]),
    tests(
      "AccountsTests",
      ["Accounts", "CBOR", "Curation", "PostgreSQL", "Storage", "TestData", "TestSupport", crypto, cryptoExtras]),
    tests("CBORTests", ["CBOR"]),
    tests("CallDirectoryTests", ["CallDirectory", "CallerPack", "CallerPackBuilder", "TestData"]),
    tests("CallerPackTests", ["CallerPack", "CallerPackBuilder", "TestData", crypto], exclude: ["Golden"]),
    tests("CurationTests", ["TestData", "Curation", "TestSupport"]),
    tests("EmbeddedPostgreSQLTests", ["EmbeddedPostgreSQL", "CLibPQ", logging]),
    tests(
      "FetchingTests",
      [
        "Fetching", "FileSupport", "OutboundHTTP", "Publishing", "CallerPack", "CallerPackBuilder", "RingfenceClient",
        "TestSupport",
      ]),
    tests(
      "ImportingTests",
      [
        "Importing", "CallerPack", "Curation", "Intake", "Moderation", "OutboundHTTP", "PackFormats", "PhoneNumbers",
        "PostgreSQL", "Publishing", "Storage", "CZlib", "TestData", "TestSupport", crypto, logging,
      ]),
    tests(
      "IntakeTests",
      [
        "Intake", "Jobs", "Curation", "PhoneNumbers", "PostgreSQL", "Storage", "Telemetry", "Timestamps", "TestSupport",
      ]),
    tests("LocalizationTests", ["Localization", "Curation", "Importing", "TestSupport"]),
    tests(
      "ModerationTests",
      ["Moderation", "Curation", "PhoneNumbers", "PostgreSQL", "Storage", "TestSupport"]),
    tests("OutboundHTTPTests", ["OutboundHTTP"]),
    tests(
      "PackFormatsTests",
      [
        "PackFormats", "RingfenceCommand", "CallerPack", "TestData", arguments,
      ], exclude: ["Golden"]),
    tests("PageTemplatesTests", ["PageTemplates"]),
    tests("PhoneNumbersTests", ["PhoneNumbers", "TestData"]),
    // What Tests/Numbers compares with another program.
    .executableTarget(
      name: "number-probe", dependencies: ["PhoneNumbers"], path: "Tests/NumberProbe", swiftSettings: sharedSettings),
    tests("PostgreSQLTests", ["PostgreSQL", "EmbeddedPostgreSQL", logging]),
    tests(
      "PublishingTests",
      [
        "Publishing", "CallerPack", "CallerPackBuilder", "Curation", "FileSupport", "Jobs", "Moderation",
        "OutboundHTTP",
        "PackFormats", "PhoneNumbers", "PostgreSQL", "Storage", "Timestamps", "TestSupport",
      ]),
    tests(
      "StorageTests", ["Storage", "Curation", "Moderation", "PhoneNumbers", "PostgreSQL", "Timestamps", "TestSupport"]),
    tests("TelemetryTests", ["Telemetry", logging, metrics]),
    tests("TimestampsTests", ["Timestamps"]),
    tests(
      "RingfenceServerTests",
      [
        "RingfenceServer", "API", "AttestationSupport", "HTTPServer", "Moderation", "ModerationSite", "Localization",
        "PageTemplates", "Accounts", "Publishing", "CallerPack", "CallerPackBuilder", "Curation", "Intake", "Jobs",
        "PackFormats",
        "PhoneNumbers",
        "PostgreSQL", "RingfenceClient", "Storage", "Telemetry", "Timestamps", "TestSupport", hummingbird,
        httpTypes, nioCore, nioHTTP1, nioPosix, crypto, lifecycle, logging, metrics,
      ]),
    tests("RingfenceClientTests", ["RingfenceClient", "CallerPack", "TestData"]),
    // A small app around RingfenceClient, which tests kill.
    .executableTarget(
      name: "client-probe", dependencies: ["RingfenceClient"], path: "Tests/ClientProbe", swiftSettings: sharedSettings),
    tests(
      "RingfenceCommandTests",
      [
        "RingfenceCommand", "RingfenceServer", "API", "AsyncSupport", "CallerPack", "Curation", "Importing", "Intake",
        "ModerationSite", "PhoneNumbers", "PostgreSQL", "Publishing", "Storage", "Telemetry", "TestData", "TestSupport",
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
        "AsyncSupport", "CallerPack", "CallerPackBuilder", "Curation", "EmbeddedPostgreSQL", "Importing",
        "PhoneNumbers",
        "PostgreSQL", "Publishing", "RingfenceCommand", "Storage", "Timestamps", arguments, crypto,
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
