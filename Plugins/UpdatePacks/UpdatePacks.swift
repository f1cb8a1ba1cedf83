// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// `swift package update-packs`: replaces the packs of a package by those of the newest publication.
@main struct UpdatePacks: CommandPlugin {
  private struct Failure: Error, CustomStringConvertible { let description: String }

  func performCommand(context: PluginContext, arguments: [String]) throws {
    var extractor = ArgumentExtractor(arguments)
    guard let into = extractor.extractOption(named: "into").last else {
      throw Failure(
        description: "Pass the folder of the packs and the options of fetch, such as: "
          + "swift package update-packs https://HOST/v1 --key root.json --pack toxic --into Sources/App/Packs")
    }
    let root = context.package.directoryURL
    let out = context.pluginWorkDirectoryURL.appending(path: "packs")
    let build = try packageManager.build(.product("ringfence-packs"), parameters: .init(logging: .concise))
    guard build.succeeded, let tool = build.builtArtifacts.first(where: { $0.kind == .executable }) else {
      throw Failure(description: build.logText)
    }
    let process = Process()
    process.executableURL = tool.url
    process.currentDirectoryURL = root
    process.arguments = ["fetch"] + extractor.remainingArguments + ["--out", out.path]
    try process.run()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw Failure(description: "fetch ended with exit code \(process.terminationStatus). The packs are unchanged.")
    }
    let (current, target) = (out.appending(path: "current").resolvingSymlinksInPath(), root.appending(path: into))
    let files = FileManager.default
    try files.createDirectory(at: target, withIntermediateDirectories: true)
    for pack in try files.contentsOfDirectory(at: current, includingPropertiesForKeys: nil)
    where pack.pathExtension == "rfpack" {
      // Complete or unchanged, so that a build never reads a part.
      let name = target.appending(path: pack.lastPathComponent)
      try Data(contentsOf: pack).write(to: name, options: .atomic)
      print("\(into)/\(pack.lastPathComponent)")
    }
  }
}
