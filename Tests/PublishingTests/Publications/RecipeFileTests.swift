// SPDX-License-Identifier: Apache-2.0

import Curation
import Publishing
import TestSupport
import Testing

@Suite struct RecipeFileTests {
  @Test func `the shipped recipe file equals the default recipes`() throws {
    #expect(try RecipeFile.read(contentsOf: "\(Checkout.resources)/recipes.yaml") == Recipe.shipped)
  }

  @Test func `every recipe field is parsed`() throws {
    let recipes = try RecipeFile.read(
      """
      recipes:
        - name: fraud-de
          kind: identification
          source: both
          rank: { heat: 2, identifications: 0.5 }
          top: 5_000
          categories: [fraud, one_ring]
          region: [DE, us-212]
          labels:
            language: de
            listed: "{category} · {heat}"
            directory: "☎ {name}"
            bytes: 60
            names: { fraud: Betrug, one_ring: Lockanruf }
          profile: lean
          shards: [1, 33, 7]
          formats: [csv, 2gis]
          empty: write
        - { name: b, kind: blocking, top: 1, shards: 3, evidence: true }
        - { name: c, kind: identification, top: 1, evidence: false }
        - { name: d, kind: blocking, top: 1, rank: useful }
      """)
    let labels = RecipeLabels(
      language: "de", names: [.fraud: "Betrug", .oneRing: "Lockanruf"],
      listed: try LabelTemplate("{category} · {heat}"),
      directory: try LabelTemplate("☎ {name}"), maxBytes: 60)
    #expect(
      recipes == [
        Recipe(
          name: "fraud-de", kind: .identification, limit: 5_000, source: .both,
          ranking: Ranking(heat: 2, identifications: 0.5), categories: [.fraud, .oneRing],
          area: .regions(["DE", "us-212"]), labels: labels, profile: .lean, shards: .from([1, 33, 7]),
          formats: ["csv", "2gis"], keepsEmpty: true),
        Recipe(name: "b", kind: .blocking, limit: 1, shards: .hashed(3), sharesEvidence: true),
        Recipe(name: "c", kind: .identification, limit: 1),
        Recipe(name: "d", kind: .blocking, limit: 1, ranking: .useful),
      ])
  }

  static let faults: [(yaml: String, problems: [String])] = [
    ("", ["recipes.yaml:1: it is empty; it needs “recipes:” and a list of them"]),
    ("recipes: 7", ["recipes.yaml:1: recipes must be a list"]),
    (
      "recipes:\n  - name: a\n    kind: blocking\n    top: 20000000",
      ["recipes.yaml:4: top must be 1 to 16777216"]
    ),
    (
      "recipes:\n  - name: a\n    kind: block\n    colour: red\n    top: 1",
      [
        "recipes.yaml:3: kind must be blocking, identification",
        "recipes.yaml:4: a recipe has no field “colour”; it may have categories, empty, evidence, formats, identified, "
          + "kind, labels, name, profile, ranges, rank, region, shards, source, split, top",
      ]
    ),
    (
      "recipes:\n  - {name: a, kind: identification, source: directory, top: 1, evidence: true, ranges: 1}",
      [
        "recipes.yaml:2: evidence must be false with source directory: it is about listed numbers",
        "recipes.yaml:2: ranges are for listed numbers: leave the field out with source directory",
      ]
    ),
    (
      "recipes:\n  - {name: a, kind: blocking, top: 1, evidence: yes}",
      ["recipes.yaml:2: evidence must be true or false"]
    ),
    (
      "recipes:\n  - {name: a, kind: blocking, top: 1}\n  - {name: a, kind: blocking, top: 1}",
      ["recipes.yaml:3: the name “a” is taken by the recipe of line 2"]
    ),
    (
      "recipes:\n  - {name: a, kind: identification, top: 1, split: regions}",
      ["recipes.yaml:2: name must have {region}, since the recipe is split"]
    ),
    (
      "recipes:\n  - {name: \"a-{region}-{region}\", kind: identification, top: 1, split: regions}",
      ["recipes.yaml:2: name must have 1 to 17 of a-z 0-9 and hyphens besides {region}"]
    ),
    (
      "recipes:\n  - name: A b\n    kind: blocking\n    source: directory\n    top: 1\n    shards: [1, 7, 33]",
      [
        "recipes.yaml:2: name must have 1 to 40 of a-z 0-9 and hyphens",
        "recipes.yaml:4: source must be reports in a blocking recipe: a directory blocks nobody",
        "recipes.yaml:6: shards must be 2 to 64 prefixes in ascending order of their digits, the first of them 1",
      ]
    ),
    (
      "recipes:\n  - name: a\n    kind: identification\n    top: 1\n    labels:\n      listed: \"{nam}\"\n      language: pl",
      [
        "recipes.yaml:6: a label has no field {nam}; it may have {category}, {name}, {heat}, {evidence}",
        "recipes.yaml:7: language must be one of de, en, es, fr, ru, or names must be given",
      ]
    ),
    (
      "recipes:\n  - name: a\n    kind: identification\n    top: 1\n    formats: [csv, exe, csv, ranges]",
      [
        "recipes.yaml:5: “exe” is no format; these are: tsv, csv, jsonl, 2gis, 2gis-gz, sqlite, fritzbox, asterisk, "
          + "freepbx, spamblocker, spamblocker-xml, pbbl, tranquille, callblocker, saracroche, fossify, ranges",
        "recipes.yaml:5: “csv” is listed twice",
        "recipes.yaml:5: “ranges” is a list of numbers to block, and an identification pack blocks none: leave it out",
      ]
    ),
  ]

  @Test(arguments: faults) func `a malformed recipe file is refused with line and reason`(
    yaml: String, problems: [String]
  ) {
    let error = #expect(throws: RecipeFileError.self) { try RecipeFile.read(yaml) }
    #expect(error?.description == problems.joined(separator: "\n"))
  }

  @Test(arguments: ["recipes: [", "a: 1\na: 2", "\tx", "recipes:\n - name: \"\u{1}"])
  func `invalid YAML is refused with its line`(_ yaml: String) {
    let error = #expect(throws: RecipeFileError.self) { try RecipeFile.read(yaml) }
    #expect((error?.problems.first?.line ?? 0) >= 0)
  }
}
