// SPDX-License-Identifier: Apache-2.0

package import Curation
import HTTPServer
import Hummingbird
import Localization
package import Publishing

/// `/moderation/recipes`: the packs that a publication makes, read from the current file.
struct RecipePages: Sendable {
  let recipes: @Sendable () -> RecipeReading
  let pages: PageRenderer

  @Sendable func show(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let texts = pages.texts(context)
    return try pages.page("recipes", RecipesPage(recipes(), texts), context)
  }
}

/// Values of the template `recipes`.
struct RecipesPage: Encodable {
  struct Row: Encodable {
    let name: String
    let kind: String
    let source: String
    let limit: String
    let ranking: String
    let area: String
    let categories: String
    let shards: String
    let formats: String
  }

  struct Fault: Encodable {
    let line: String
    let text: String
  }

  let file: String
  let isGood: Bool
  let rows: [Row]
  let faults: [Fault]

  init(_ reading: RecipeReading, _ texts: Localizer) {
    file = reading.file
    switch reading.outcome {
    case .success(let recipes):
      isGood = true
      faults = []
      rows = recipes.map { recipe in
        Row(
          name: recipe.name, kind: texts("recipes.kind-\(recipe.kind.rawValue)"),
          source: texts("recipes.source-\(recipe.source.rawValue)"), limit: texts.number(recipe.limit),
          ranking: Self.ranking(recipe.ranking, texts), area: Self.area(recipe.area, texts),
          categories: recipe.categories.map { $0.map(texts.category).sorted().joined(separator: ", ") }
            ?? texts("recipes.all"), shards: texts.number(recipe.shards.count),
          formats: recipe.formats.joined(separator: ", "))
      }
    case .failure(let error):
      isGood = false
      rows = []
      faults = error.problems.map { Fault(line: $0.line > 0 ? texts.number($0.line) : "–", text: $0.text) }
    }
  }

  private static func ranking(_ ranking: Ranking, _ texts: Localizer) -> String {
    let weights = [
      ("heat", ranking.heat), ("identifications", ranking.identifications), ("evidence", ranking.evidence),
    ]
    let parts = weights.filter { $0.1 > 0 }.map { name, weight -> String in
      weight == 1 ? texts("recipes.\(name)") : "\(texts.plain(weight))\u{A0}× \(texts("recipes.\(name)"))"
    }
    return parts.joined(separator: " + ")
  }

  private static func area(_ area: Recipe.Area, _ texts: Localizer) -> String {
    switch area {
    case .everywhere: texts("recipes.everywhere")
    case .regions(let some): some.joined(separator: ", ")
    case .split: texts("recipes.split")
    }
  }
}

/// The current recipe file, which may differ from the one read at the server's start.
package struct RecipeReading: Sendable {
  /// The file's path.
  package var file: String
  /// The recipes, or the error in the file.
  package var outcome: Result<[Recipe], RecipeFileError>

  /// - Parameters: see the properties.
  package init(file: String, outcome: Result<[Recipe], RecipeFileError>) {
    self.file = file
    self.outcome = outcome
  }
}
