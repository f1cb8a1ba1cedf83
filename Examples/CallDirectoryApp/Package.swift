// swift-tools-version: 6.2
// The files of an app and of its Call Directory extension, as two targets that compile on Linux too. In Xcode, App and
// Extension are an app target and a "Call Directory Extension" target.
import PackageDescription

/// Linux has no CallKit: a stand-in with the same declarations, so that a test can compile the example there.
#if os(Linux)
  let callKit: [Target] = [
    .target(
      name: "CallKit", dependencies: [.product(name: "CallDirectory", package: "ringfence")], path: "LinuxCallKit")
  ]
#else
  let callKit: [Target] = []
#endif

let kit: [Target.Dependency] =
  callKit.map { .target(name: $0.name) } + [
    .product(name: "CallDirectory", package: "ringfence"), .product(name: "CallerPack", package: "ringfence"),
    .product(name: "RingfenceClient", package: "ringfence"),
  ]

let package = Package(
  name: "CallDirectoryApp",
  platforms: [.macOS(.v15), .macCatalyst(.v15), .iOS(.v15)],
  products: [.library(name: "CallDirectoryApp", targets: ["App", "Extension"])],
  dependencies: [
    // An app uses .package(url: …, from: "0.2.0", traits: []).
    .package(name: "ringfence", path: "../..", traits: [])
  ],
  targets: callKit + [
    .target(name: "App", dependencies: kit, path: "App"),
    .target(name: "Extension", dependencies: kit, path: "Extension"),
  ],
  swiftLanguageModes: [.v6]
)
