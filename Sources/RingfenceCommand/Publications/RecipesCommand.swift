// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
package import Curation
import Foundation
import Publishing

struct RecipesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recipes", abstract: "Check and show the recipes, which define the packs.",
    subcommands: [Check.self, Show.self])

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check a recipes file and list its errors by line.")

    @Argument(help: "File to check.")
    var file: String

    func run() throws {
      let recipes = try Recipe.read(from: file)
      print("\(file) is valid: \(recipes.map(\.name).joined(separator: ", "))")
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the recipes in use.",
      discussion: """
        Reads the file of --recipes. Without it, reads the file that the server was started with, recipes.yaml in the data \
        folder if it exists, or else Resources/recipes.yaml, which describes every field.
        """)

    @OptionGroup var database: DatabaseOptions

    @Option(\.recipes) var recipes: String?

    func run() throws {
      let settings = try Settings(of: self)
      if try settings.recipes == nil { try CommandContext.requireDatabase(settings) }
      let file = try Recipe.file(
        named: settings.recipes, data: settings.data, installation: Installation.find(settings))
      let all = try Recipe.read(from: file)
      print("\(file):")
      for recipe in all { print("  \(recipe.name): \(recipe.summary)") }
    }
  }
}

extension Recipe {
  /// The recipe file in force.
  /// - Parameter name: an explicitly given file.
  package static func file(named name: String?, data: String, installation: Installation) -> String {
    if let name { return name }
    if let served = try? String(contentsOfFile: served(in: data), encoding: .utf8) { return served }
    let own = "\(data)/recipes.yaml"
    return FileManager.default.fileExists(atPath: own) ? own : "\(installation.resources)/recipes.yaml"
  }

  private static func served(in data: String) -> String { "\(data)/serve.recipes" }

  /// Keeps the name of the server's recipe file in its data folder: commands take the same recipes.
  /// - Parameter name: the file that was given; nil for none.
  static func noteServed(_ name: String?, data: String) throws {
    guard let name else {
      try? FileManager.default.removeItem(atPath: served(in: data))
      return
    }
    let path = URL(filePath: name).standardizedFileURL.path
    try Data(path.utf8).write(to: URL(filePath: served(in: data)), options: .atomic)
  }

  /// - Throws: ``CommandFailure`` with every error and its line.
  package static func read(from file: String) throws -> [Recipe] {
    do throws(RecipeFileError) {
      return try RecipeFile.read(contentsOf: file)
    } catch {
      throw error.problems.first?.line == 0
        ? CommandFailure.unreadable(error.description) : CommandFailure.failed(error.description)
    }
  }

  /// The recipe in one line for a terminal.
  var summary: String {
    var parts = ["\(kind.rawValue) from \(source.rawValue)", "top \(limit)"]
    switch area {
    case .everywhere: break
    case .regions(let some): parts.append("in \(some.joined(separator: ", "))")
    case .split: parts.append("a pack a region")
    }
    if shards.count > 1 { parts.append(TextFormat.count(shards.count, "shard")) }
    if let categories { parts.append(categories.map(\.slug).sorted().joined(separator: ", ")) }
    if !formats.isEmpty { parts.append("also as \(formats.joined(separator: ", "))") }
    if sharesEvidence { parts.append("with evidence") }
    return parts.joined(separator: "; ")
  }
}
