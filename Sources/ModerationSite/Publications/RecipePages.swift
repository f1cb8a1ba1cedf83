// SPDX-License-Identifier: Apache-2.0

package import Curation
import HTTPServer
import Hummingbird
package import Publishing

/// `/moderation/recipes`: the packs that a publication makes, read from the current file.
struct RecipePages: Sendable {
  let recipes: @Sendable () -> RecipeReading
  let pages: PageRenderer

  @Sendable func show(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let texts = pages.texts(context)
    return try pages.page("recipes", recipes().record(texts), context)
  }
}

/// The current recipe file, which may differ from the one read at the server's start.
package struct RecipeReading: Sendable {
  /// The file's path.
  package var file: String
  package var outcome: Result<[Recipe], RecipeFileError>

  package init(file: String, outcome: Result<[Recipe], RecipeFileError>) {
    self.file = file
    self.outcome = outcome
  }
}

extension RecipeReading {
  /// Values of the template `recipes`.
  fileprivate func record(_ texts: Localizer) -> TemplateRecord {
    switch outcome {
    case .success(let recipes):
      ["file": file, "isGood": true, "rows": recipes.map { $0.record(texts) }, "faults": [String]()]
    case .failure(let error):
      [
        "file": file, "isGood": false, "rows": [String](),
        "faults": error.problems.map {
          ["line": $0.line > 0 ? texts.number($0.line) : "–", "text": $0.text] as TemplateRecord
        },
      ]
    }
  }
}

extension Recipe {
  fileprivate func record(_ texts: Localizer) -> TemplateRecord {
    let categories = categories.map { $0.map(texts.category).sorted().joined(separator: ", ") }
    return [
      "name": name, "kind": texts("recipes.kind-\(kind.rawValue)"),
      "source": texts("recipes.source-\(source.rawValue)"), "limit": texts.number(limit),
      "ranking": Self.ranking(ranking, texts), "area": Self.area(area, texts),
      "categories": categories ?? texts("recipes.all"), "shards": texts.number(shards.count),
      "formats": formats.joined(separator: ", "),
    ]
  }

  private static func ranking(_ ranking: Ranking, _ texts: Localizer) -> String {
    if ranking.isUseful { return texts("recipes.useful") }
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
