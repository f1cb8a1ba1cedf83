// SPDX-License-Identifier: Apache-2.0

import Localization
import Curation

/// Values of the template `threshold-edit`.
struct ThresholdEditPage: Encodable {
  /// A row of the form: the limits to enter and to leave the list.
  struct Line: Encodable {
    let label: String
    let hint: String
    let fields: [Input]
  }

  struct Input: Encodable {
    let id: String
    let name: String
    let label: String
    let value: String
    let problem: String
    let mode: String
  }

  let title: String
  /// The name of the rule.
  let name: String
  let lead: String
  let base: Int32
  let countries: [CountryChoice]
  /// The category's slug; empty for a list.
  let slug: String
  let code: String
  /// The list's id; empty for a threshold.
  let list: String
  /// Whether the country or list has its own rule, which can be removed.
  let hasOwn: Bool
  let remove: String
  let lines: [Line]
  var problem = ""

  init(
    _ category: ReportCategory, _ country: String?, _ form: RuleForm<Threshold>, base: Int32, hasOwn: Bool,
    countries: [CountryChoice], _ texts: Localizer
  ) {
    title = texts("thresholds.edit-title", ["category": texts.category(category)])
    name = ThresholdPreviewPage.name(of: category, country, texts)
    lead = texts("thresholds.edit-lead")
    self.base = base
    self.countries = countries
    slug = category.slug
    code = country ?? ""
    list = ""
    self.hasOwn = hasOwn
    remove = texts("thresholds.remove")
    lines = form.lines(texts)
  }

  init(
    list: Int32, _ name: String, _ form: RuleForm<SourceRule>, base: Int32, hasOwn: Bool, _ texts: Localizer
  ) {
    title = texts("thresholds.list-edit-title")
    self.name = name
    lead = texts("thresholds.list-edit-lead")
    self.base = base
    countries = []
    (slug, code) = ("", "")
    self.list = "\(list)"
    self.hasOwn = hasOwn
    remove = texts("thresholds.list-remove")
    lines = form.lines(texts)
  }
}
