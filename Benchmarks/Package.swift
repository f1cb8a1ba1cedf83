// swift-tools-version: 6.2
// The benchmarks of the server, which its own build does not contain:
// swift build --package-path Benchmarks --configuration release
import PackageDescription

/// The server's package, as SwiftPM names it: by its folder.
let server = Context.packageDirectory.split(separator: "/").dropLast().last.map { folder in
  String(folder.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
}

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
  // Declarations with `package` are visible, as they are in the server's own targets.
  .unsafeFlags(["-package-name", server ?? "ringfence"]),
]

let modules = Target.Dependency.product(name: "ServerModules", package: "server")

let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "server", path: ".."),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
  ],
  targets: [
    .target(
      name: "BenchmarkCommand",
      dependencies: [
        modules, .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Crypto", package: "swift-crypto"), .product(name: "Histogram", package: "hdrhistogram-swift"),
        .product(name: "Metrics", package: "swift-metrics"),
      ],
      packageAccess: false, swiftSettings: settings),
    .executableTarget(
      name: "ringfence-benchmark", dependencies: ["BenchmarkCommand"], packageAccess: false, swiftSettings: settings),
    .testTarget(
      name: "BenchmarkCommandTests",
      dependencies: ["BenchmarkCommand", modules, .product(name: "Logging", package: "swift-log")],
      packageAccess: false, swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
