import CallerPack
import CallerPackBuilder
import Curation
import Foundation
import PostgreSQL
import Storage

/// What fills the packs of a publication: all of it from one snapshot.
struct PackContent: Sendable {
  let store: PublicationStore
  let selection: Selection
  let recipes: [Recipe]

  /// Writes the packs that the recipes ask for.
  /// - Parameters:
  ///   - spool: keeps what is listed because of reports.
  ///   - open: makes the writer of a pack.
  ///   - progress: told the part that is done, 0 to 1.
  func fill(
    at time: Date, spool: ListedSpool, open: @escaping @Sendable (PackSpec) throws -> PackWriter,
    progress: @Sendable (String, Double) -> Void
  ) async throws -> [(PackSpec, PackSummary)] {
    progress("Choosing numbers", 0)
    let writer = try ListedSpool.Writer(spool)
    let chosen = Chosen()
    try await store.withSnapshot { connection in
      try await selection.forEachListed(at: time, on: connection) { batch in
        try writer.append(batch)
        await chosen.take(batch)
      }
    }
    try writer.finish()
    var made: [(PackSpec, PackSummary)] = []
    for (index, recipe) in recipes.enumerated() {
      progress("Writing the pack \(recipe.name)", 0.5 + 0.5 * Double(index) / Double(recipes.count))
      let spec = PackSpec(name: recipe.name, recipe: recipe)
      made.append((spec, try await chosen.write(recipe, to: try open(spec))))
    }
    return made
  }
}

/// The numbers of one snapshot.
private actor Chosen {
  private var listed: [(number: Int64, heat: Float, category: ReportCategory)] = []

  func take(_ batch: [ListedNumber]) {
    for number in batch { listed.append((number.number, Float(number.heat), number.category)) }
  }

  func write(_ recipe: Recipe, to writer: sending PackWriter) throws -> PackSummary {
    var rows = listed
    if rows.count > recipe.limit {
      rows.sort { ($1.heat, $0.number) < ($0.heat, $1.number) }
      rows.removeSubrange(recipe.limit...)
      rows.sort { $0.number < $1.number }
    }
    for row in rows {
      switch recipe.kind {
      case .blocking: try writer.append(row.number)
      case .identification: try writer.append(row.number, label: row.category.label)
      }
    }
    return try writer.finish()
  }
}
