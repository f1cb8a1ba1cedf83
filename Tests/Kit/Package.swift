// swift-tools-version: 6.2
// The kit and its tests without the server: swift test --package-path Tests/Kit
//
// SwiftPM has one test program for a package, so the tests of the kit in Package.swift need a build of the server.
// Tests/Architecture/test_kit.py compares the targets of both manifests. Sources and tests are symbolic links.
import PackageDescription

let house: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: house)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: house)
}

let crypto = Target.Dependency.product(
  name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.linux]))

let package = Package(
  name: "kit",
  platforms: [.macOS(.v15), .macCatalyst(.v15), .iOS(.v15)],
  dependencies: [.package(url: "https://github.com/apple/swift-crypto", from: "4.5.2")],
  targets: [
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    library("Support"),
    library("CallerPack", ["CZlib", "Support", crypto]),
    library("CallerPackBuilder", ["CallerPack", "CZlib"]),
    library("CallDirectory", ["CallerPack", "Support"]),
    library("RingfenceClient", ["CallerPack", "Support", "PhoneNumbers"]),
    library("PhoneNumbers"),
    .target(name: "TestData", path: "Tests/TestData", exclude: ["Fixtures"], swiftSettings: house),
    // CallerPackTests runs it to measure memory.
    .executableTarget(
      name: "pack-benchmark", dependencies: ["CallerPack", "CallerPackBuilder"], path: "PackBenchmark",
      swiftSettings: house),
    tests("CallerPackTests", ["CallerPack", "CallerPackBuilder", "TestData", crypto], exclude: ["Golden"]),
    tests("CallDirectoryTests", ["CallDirectory", "CallerPack", "CallerPackBuilder", "TestData"]),
    tests("RingfenceClientTests", ["RingfenceClient", "CallerPack", "TestData"]),
    tests("PhoneNumbersTests", ["PhoneNumbers", "TestData"]),
  ],
  swiftLanguageModes: [.v6]
)
