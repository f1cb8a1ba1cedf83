// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import PackFormats
import PhoneNumbers
import Yams

/// Converts YAML to recipes and notes every error with its line.
final class RecipeReader {
  private(set) var problems: [RecipeFileError.Problem] = []

  func report(_ node: Node?, _ text: String) {
    problems.append(.init(line: node?.mark?.line ?? 1, text: text))
  }

  func recipes(_ root: Node?) -> [Recipe] {
    guard let root, let fields = YAMLFields(root, of: "the file", known: ["recipes"], reader: self) else {
      if root == nil { report(nil, "it is empty; it needs “recipes:” and a list of them") }
      return []
    }
    guard let list = fields["recipes"], let nodes = list.sequence else {
      report(fields["recipes"] ?? root, "recipes must be a list")
      return []
    }
    guard (1...RecipeFile.maximumRecipes).contains(nodes.count) else {
      report(list, "recipes must have 1 to \(RecipeFile.maximumRecipes) entries")
      return []
    }
    var names: [String: Int] = [:]
    return nodes.compactMap { node in
      guard let recipe = recipe(node) else { return nil }
      if let line = names.updateValue(node.mark?.line ?? 0, forKey: recipe.name) {
        report(node, "the name “\(recipe.name)” is taken by the recipe of line \(line)")
      }
      return recipe
    }
  }

  private static let fields: Set<String> = [
    "name", "kind", "source", "rank", "top", "categories", "region", "split", "labels", "profile", "shards", "formats",
    "identified", "empty", "evidence", "ranges",
  ]

  private func recipe(_ node: Node) -> Recipe? {
    guard let fields = YAMLFields(node, of: "a recipe", known: Self.fields, reader: self) else { return nil }
    let area = area(fields)
    let kind = fields.choice("kind", Recipe.Kind.self)
    let source = fields.choice("source", Recipe.Source.self, default: .reports)
    let name = name(fields, isSplit: area == .split)
    let top = fields.integer("top", 1...Recipe.maxEntries)
    if kind == .blocking, source != .reports {
      report(fields["source"] ?? node, "source must be reports in a blocking recipe: a directory blocks nobody")
    }
    if kind == .blocking, let labels = fields["labels"] { report(labels, "labels are for identification alone") }
    let sharesEvidence = fields.flag("evidence")
    if sharesEvidence, source == .directory, let evidence = fields["evidence"] {
      report(evidence, "evidence must be false with source directory: it is about listed numbers")
    }
    if source == .directory, let ranges = fields["ranges"] {
      report(ranges, "ranges are for listed numbers: leave the field out with source directory")
    }
    let ranges = fields["ranges"].map { _ in fields.integer("ranges", 0...Recipe.maxEntries) ?? 0 }
    let recipe = Recipe(
      name: name ?? "", kind: kind ?? .blocking, limit: top ?? 1, source: source ?? .reports,
      ranking: ranking(fields["rank"]) ?? .heat, categories: categories(fields["categories"]), area: area,
      labels: labels(fields["labels"]),
      profile: fields.choice("profile", Recipe.Profile.self, default: .standard) ?? .standard,
      shards: shards(fields["shards"]), formats: formats(fields["formats"], of: kind),
      isIdentifiedOnly: fields.choice("identified", Identified.self, default: .any) == .only,
      keepsEmpty: fields.choice("empty", Emptiness.self, default: .skip) == .write, sharesEvidence: sharesEvidence,
      ranges: ranges ?? Recipe.maxEntries)
    return name != nil && kind != nil && top != nil ? recipe : nil
  }

  private enum Emptiness: String, CaseIterable { case write, skip }
  private enum Identified: String, CaseIterable { case only, any }

  private func name(_ fields: YAMLFields, isSplit: Bool) -> String? {
    guard let node = fields.required("name") else { return nil }
    let text = node.scalar?.string ?? ""
    let bare = text.replacing("{region}", with: "", maxReplacements: 1)
    // A region's code has up to 23 characters.
    let room = isSplit ? 17 : 40
    guard bare.count <= room, (isSplit ? "x\(bare)" : bare).wholeMatch(of: /[a-z0-9][a-z0-9-]*/) != nil else {
      report(node, "name must have 1 to \(room) of a-z 0-9 and hyphens\(isSplit ? " besides {region}" : "")")
      return nil
    }
    guard isSplit == (bare != text) else {
      report(
        node,
        isSplit ? "name must have {region}, since the recipe is split" : "name has {region} but no “split: regions”")
      return nil
    }
    return text
  }

  private func area(_ fields: YAMLFields) -> Recipe.Area {
    if let split = fields["split"] {
      if split.scalar?.string != "regions" { report(split, "split must be regions") }
      if let region = fields["region"] { report(region, "a recipe has region or split, not both") }
      return .split
    }
    guard let node = fields["region"] else { return .everywhere }
    let codes = node.scalar.map { [$0.string] } ?? node.sequence?.compactMap { $0.scalar?.string } ?? []
    guard !codes.isEmpty, codes.allSatisfy({ $0.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._-]{0,22}/) != nil }) else {
      report(node, "region must be a region's code or a list of them")
      return .everywhere
    }
    return .regions(codes)
  }

  private func ranking(_ node: Node?) -> Ranking? {
    guard let node else { return nil }
    let known = ["heat", "identifications", "evidence"]
    if let name = node.scalar?.string {
      switch name {
      case "heat": return .heat
      case "identifications": return .identifications
      case "evidence": return .evidence
      case "useful": return .useful
      default: report(node, "rank must be useful, \(known.joined(separator: ", ")), or weights of the last three")
      }
      return nil
    }
    guard let fields = YAMLFields(node, of: "rank", known: Set(known), reader: self) else { return nil }
    let weights = known.map { fields.decimal($0, 0...1_000_000) ?? 0 }
    if weights.allSatisfy({ $0 == 0 }) { report(node, "rank needs a weight above 0") }
    return Ranking(heat: weights[0], identifications: weights[1], evidence: weights[2])
  }

  private func categories(_ node: Node?) -> Set<ReportCategory>? {
    guard let node else { return nil }
    guard let nodes = node.sequence, !nodes.isEmpty else {
      report(node, "categories must be a list of categories")
      return nil
    }
    return Set(nodes.compactMap { category($0) })
  }

  private func category(_ node: Node) -> ReportCategory? {
    if let category = node.scalar.flatMap({ ReportCategory(slug: $0.string) }) { return category }
    let known = ReportCategory.allCases.map(\.slug).joined(separator: ", ")
    report(node, "“\(node.scalar?.string.prefix(40) ?? "")” is no category; these are: \(known)")
    return nil
  }

  private func labels(_ node: Node?) -> RecipeLabels {
    var labels = RecipeLabels()
    guard let node else { return labels }
    let known: Set<String> = ["language", "listed", "directory", "bytes", "names"]
    guard let fields = YAMLFields(node, of: "labels", known: known, reader: self) else { return labels }
    if let language = fields["language"] {
      labels.language = language.scalar?.string ?? ""
      if !RecipeLabels.languages.contains(labels.language), fields["names"] == nil {
        let known = RecipeLabels.languages.joined(separator: ", ")
        report(language, "language must be one of \(known), or names must be given")
      }
    }
    labels.listed = template(fields["listed"]) ?? labels.listed
    if let directory = template(fields["directory"]) {
      labels.directory = directory
      if !directory.fitsDirectory { report(fields["directory"], "directory must have {name}") }
    }
    labels.maxBytes =
      fields["bytes"].flatMap { _ in fields.integer("bytes", 4...PackLimits.labelBytes) } ?? labels.maxBytes
    if let names = fields["names"] {
      guard let mapping = names.mapping else {
        report(names, "names must be categories with their names")
        return labels
      }
      for (key, value) in mapping {
        guard let category = category(key) else { continue }
        let text = value.scalar?.string ?? ""
        if !(1...200).contains(text.utf8.count) { report(value, "a name has 1 to 200 bytes") }
        labels.names[category] = text
      }
    }
    return labels
  }

  private func template(_ node: Node?) -> LabelTemplate? {
    guard let node else { return nil }
    do throws(LabelTemplate.Problem) {
      return try LabelTemplate(node.scalar?.string ?? "")
    } catch {
      report(node, Self.text(of: error))
      return nil
    }
  }

  private static func text(of problem: LabelTemplate.Problem) -> String {
    switch problem {
    case .length: return "a label has 1 to \(LabelTemplate.maxBytes) bytes"
    case .controlCharacter: return "a label has no control characters"
    case .unpairedBrace: return "a label's braces come in pairs, such as {category}"
    case .unknownField(let name):
      let known = LabelTemplate.Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
      return "a label has no field {\(name.prefix(20))}; it may have \(known)"
    }
  }

  private func shards(_ node: Node?) -> Shards {
    guard let node else { return .one }
    if let nodes = node.sequence {
      let starts = nodes.compactMap { $0.scalar.flatMap { Int64($0.string) } }
      let places = starts.map(Shards.place)
      guard (2...64).contains(nodes.count), starts.count == nodes.count, starts[0] == 1,
        starts.allSatisfy(PhoneNumber.digitsRange.contains), zip(places, places.dropFirst()).allSatisfy({ $0 < $1 })
      else {
        report(node, "shards must be 2 to 64 prefixes in ascending order of their digits, the first of them 1")
        return .one
      }
      return .from(starts)
    }
    guard let count = node.scalar.flatMap({ Int($0.string) }), (1...64).contains(count) else {
      report(node, "shards must be 1 to 64, or a list of prefixes")
      return .one
    }
    return count == 1 ? .one : .hashed(count)
  }

  private func formats(_ node: Node?, of kind: Recipe.Kind?) -> [String] {
    guard let node else { return [] }
    guard let nodes = node.sequence else {
      report(node, "formats must be a list")
      return []
    }
    var formats: [String] = []
    for item in nodes {
      let name = item.scalar?.string ?? ""
      if !Recipe.formatNames.contains(name) {
        report(item, "“\(name.prefix(40))” is no format; these are: \(Recipe.formatNames.joined(separator: ", "))")
      } else if kind == .identification, ListFormat(rawValue: name)?.isOfBlockedNumbers == true {
        report(item, "“\(name)” is a list of numbers to block, and an identification pack blocks none: leave it out")
      } else if formats.contains(name) {
        report(item, "“\(name)” is listed twice")
      } else {
        formats.append(name)
      }
    }
    return formats
  }
}
