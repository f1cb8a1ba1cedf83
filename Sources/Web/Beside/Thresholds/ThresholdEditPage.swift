import Curation

/// Values of the template `threshold-edit`.
struct ThresholdEditPage: Encodable {
  /// A line of the form: what is needed to be listed, and to stay.
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

  let category: String
  let slug: String
  let base: Int32
  let countries: [CountryChoice]
  let code: String
  let country: String
  /// Whether the country has a threshold of its own that can be taken away.
  let hasOwn: Bool
  let isGeneral: Bool
  let problem: String
  let lines: [Line]

  init(
    _ form: ThresholdForm, base: Int32, country: String?, hasOwn: Bool, countries: [CountryChoice], problem: String,
    _ texts: Texts
  ) {
    category = texts.category(form.category)
    slug = form.category.slug
    self.base = base
    self.countries = countries
    code = country ?? ""
    self.country = country.map(texts.country) ?? texts("thresholds.everywhere")
    self.hasOwn = hasOwn
    isGeneral = country == nil
    self.problem = problem
    let inputs = form.fields(texts).map { field in
      Input(
        id: field.id, name: field.name, label: field.label, value: field.value, problem: field.problem,
        mode: field.isWhole ? "numeric" : "decimal")
    }
    lines =
      ["heat", "evidence", "confidence", "reporters", "networks", "days"].enumerated().map { index, kind in
        Line(
          label: texts("thresholds.\(kind)"), hint: texts("thresholds.hint.\(kind)"),
          fields: Array(inputs[index * 2...index * 2 + 1]))
      } + [Line(label: texts("thresholds.watch"), hint: texts("thresholds.hint.watch"), fields: inputs.suffix(1))]
  }
}
