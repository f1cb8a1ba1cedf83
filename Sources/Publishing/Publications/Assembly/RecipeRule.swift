// SPDX-License-Identifier: Apache-2.0

import Curation
import PhoneNumbers

/// Evaluates a recipe for a number: whether it is included, its rank and its label.
///
/// Values are prepared in advance, because a publication evaluates many millions of numbers.
final class RecipeRule: Sendable {
  let recipe: Recipe
  let isSplit: Bool
  let isEverywhere: Bool
  let shardCount: Int
  let sharesEvidence: Bool
  private let isIdentification: Bool
  private let isIdentifiedOnly: Bool
  private let ranking: Ranking
  private let takesDirectory: Bool
  /// A bit for each included category of blocked numbers, by the category's id.
  private let blocked: UInt32
  /// The same for numbers that are only identified.
  private let identified: UInt32
  /// Labels by the category's id, if the template gives all numbers of a category the same label.
  private let labels: [[UInt8]?]

  init(_ recipe: Recipe) {
    self.recipe = recipe
    isSplit = recipe.area == .split
    isEverywhere = recipe.area == .everywhere
    shardCount = recipe.shards.count
    sharesEvidence = recipe.sharesEvidence
    isIdentification = recipe.kind == .identification
    isIdentifiedOnly = recipe.isIdentifiedOnly
    ranking = recipe.ranking
    takesDirectory = recipe.source != .reports && recipe.kind == .identification
    func categories(_ treatment: ListedNumber.Treatment) -> UInt32 {
      ReportCategory.allCases.filter { recipe.takes($0, treatment) }.reduce(0) { $0 | 1 << UInt32($1.rawValue) }
    }
    (blocked, identified) = (categories(.block), categories(.identify))
    var labels = [[UInt8]?](repeating: nil, count: Int(ReportCategory.allCases.map(\.rawValue).max() ?? 0) + 1)
    if recipe.labels.listed.isByCategory {
      for category in ReportCategory.allCases {
        labels[Int(category.rawValue)] = Array(Self.label(recipe.labels, category, nil).utf8)
      }
    }
    self.labels = labels
  }

  /// Whether the recipe includes the number because of its listing.
  ///
  /// Where it takes no rules, a number that its reports only identify is not blocked by one.
  func takes(_ item: ListedRecord) -> Bool {
    takes(item.category, item.cause == .range && recipe.ranges == 0 ? .identify : item.treatment)
  }

  /// Whether the recipe includes numbers because of listings with this category and treatment.
  func takes(_ category: ReportCategory, _ treatment: ListedNumber.Treatment) -> Bool {
    (treatment == .block ? blocked : identified) & 1 << UInt32(category.rawValue) != 0
  }

  /// Nil if the recipe does not include it.
  func score(_ number: MergedNumber) -> Double? {
    if let item = number.listed, takes(item) {
      if isIdentifiedOnly, !(item.identifications > 0) { return nil }
      return ranking.score(heat: item.heat, identifications: item.identifications, evidence: item.evidence)
        * ranking.weight(of: number.number, item.cause)
    }
    guard takesDirectory, let entry = number.entry, !isIdentifiedOnly || entry.identifications > 0 else { return nil }
    return ranking.score(heat: 0, identifications: entry.identifications, evidence: 0)
  }

  /// Appends the label of an included number; nothing for a blocking pack.
  ///
  /// The order is: a moderator's label, the template for complaints if the number is included because of them, the
  /// directory's name. Never empty.
  func appendLabel(_ number: MergedNumber, to bytes: inout [UInt8]) {
    guard isIdentification else { return }
    let name = number.entry?.name
    if let item = number.listed, takes(item) {
      if item.label.count > 0 {
        append(item.label, to: &bytes)
      } else if item.reporters == 0, let label = labels[Int(item.category.rawValue)] {
        bytes.append(contentsOf: label)
      } else {
        bytes.append(contentsOf: Self.label(recipe.labels, item.category, (item, name)).utf8)
      }
    } else if let name {
      guard recipe.labels.directory != .name else { return append(name, to: &bytes) }
      let text = String(decoding: name, as: UTF8.self)
      let label = recipe.labels.directory.filled { $0 == .name ? text : nil }
      bytes.append(contentsOf: recipe.labels.cut(label.isEmpty ? text : label).utf8)
    }
  }

  private func append(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    if text.count <= recipe.labels.maxBytes {
      bytes.append(contentsOf: text)
    } else {
      bytes.append(contentsOf: recipe.labels.cut(String(decoding: text, as: UTF8.self)).utf8)
    }
  }

  private static func label(
    _ labels: RecipeLabels, _ category: ReportCategory, _ known: (item: ListedRecord, name: UnsafeRawBufferPointer?)?
  ) -> String {
    let text = labels.listed.filled { field in
      switch field {
      case .category:
        if let reporters = known?.item.reporters, reporters > 0 {
          labels.name(ofReporters: Int(reporters))
        } else {
          labels.name(of: category)
        }
      case .name: known?.name.map { String(decoding: $0, as: UTF8.self) }
      case .heat: known.map { LabelTemplate.figure($0.item.heat) }
      case .evidence: known.map { LabelTemplate.figure($0.item.evidence) }
      }
    }
    return labels.cut(text.isEmpty ? labels.name(of: category) : text)
  }
}
