// SPDX-License-Identifier: Apache-2.0

import Curation
import HTTPServer
import Importing
import Localization
import Storage

/// A value that can be chosen in a form.
struct SourceChoice: Encodable {
  let value: String
  let text: String
  let isChosen: Bool

  static func ceilings(_ chosen: SourceCeiling, _ texts: Localizer) -> [SourceChoice] {
    SourceCeiling.allCases.map {
      SourceChoice(value: $0.rawValue, text: texts("sources.ceiling-\($0.rawValue)"), isChosen: $0 == chosen)
    }
  }
}

/// The form of a new source as it was filled in, with its errors.
struct SourceDraft: Encodable {
  /// The error of each field; empty for none.
  struct Problems: Encodable, Equatable {
    var name = ""
    var url = ""
    var format = ""
    var every = ""
    var ceiling = ""
    var license = ""
    var category = ""
  }

  let name: String
  let url: String
  let every: String
  let license: String
  let formats: [SourceChoice]
  let ceilings: [SourceChoice]
  let categories: [SourceChoice]
  var problems = Problems()
  /// Empty without a preview.
  var preview: [PreviewFigure] = []

  /// The formats of files. A subscription to another server needs its root from a trusted channel: the command adds it.
  private static let formats = SourceFormat.allCases.filter { $0 != .ringfence }
  /// The most characters of a license.
  private static let mostLicense = 200

  init(_ form: Form, _ texts: Localizer) {
    func text(_ name: String, _ usual: String = "") -> String { String((form[name] ?? usual).prefix(2_000)) }
    (name, url, license) = (text("name"), text("url"), text("license"))
    every = text("every", SourceSubscriptions.text(ofInterval: SourceFormat.csv.usualInterval))
    let (format, category) = (text("format", SourceFormat.csv.rawValue), text("category", ReportCategory.other.slug))
    formats = Self.formats.map {
      SourceChoice(value: $0.rawValue, text: $0.rawValue, isChosen: $0.rawValue == format)
    }
    ceilings = SourceChoice.ceilings(form["ceiling"].flatMap(SourceCeiling.init) ?? .review, texts)
    categories = ReportCategory.allCases.filter(\.isToxic).map {
      SourceChoice(value: $0.slug, text: texts.category($0), isChosen: $0.slug == category)
    }
  }

  /// The settings of the form; nil where ``problems`` names a field.
  mutating func read(_ form: Form, _ texts: Localizer) -> Source.Settings? {
    let name = form.text("name") ?? ""
    if !App.isName(name) { problems.name = texts("sources.bad-name") }
    let url = form.text("url") ?? ""
    if !SourceSubscriptions.isAddress(url) { problems.url = texts("sources.bad-url") }
    let format = form["format"].flatMap(SourceFormat.init).flatMap { Self.formats.contains($0) ? $0 : nil }
    if format == nil { problems.format = texts("sources.bad-choice") }
    let every = form.text("every").flatMap { SourceSubscriptions.interval($0, of: format ?? .csv) }
    if every == nil { problems.every = texts("sources.bad-every") }
    let license = form.text("license")
    if (license?.unicodeScalars.count ?? 0) > Self.mostLicense { problems.license = texts("sources.bad-license") }
    let ceiling = form["ceiling"].flatMap(SourceCeiling.init)
    if ceiling == nil { problems.ceiling = texts("sources.bad-choice") }
    let category = form["category"].flatMap { ReportCategory(slug: $0) }
    if category?.isToxic != true { problems.category = texts("sources.bad-choice") }
    guard problems == Problems(), let every, let format, let ceiling, let category else { return nil }
    var options = SourceOptions()
    options.categories = format.usualCategories
    options.categories[SourceOptions.everyOther] = category.slug
    return Source.Settings(
      name: name, url: url, format: format, every: every, options: options, ceiling: ceiling, license: license,
      isPublic: true)
  }
}

/// A figure of a preview.
struct PreviewFigure: Encodable {
  let name: String
  let figure: String

  static func makeAll(_ preview: SourcePreview, _ texts: Localizer) -> [PreviewFigure] {
    [
      ("entries", preview.entries), ("block", preview.block), ("identify", preview.identify),
      ("review", preview.review), ("lost", preview.lost), ("listed", preview.listed), ("decided", preview.decided),
      ("protected", preview.protected), ("held", preview.held), ("rejected", preview.rejected),
      ("patterns", preview.patterns),
    ].map { PreviewFigure(name: texts("sources.preview-\($0)"), figure: texts.number($1)) }
  }
}
