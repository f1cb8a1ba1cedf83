// SPDX-License-Identifier: Apache-2.0

package import Curation

extension Localizer {
  /// The message of a code with its values formatted for the reader.
  ///
  /// A count with a noun has its own plural forms under `AREA.CODE.NAME`; a value that is a code has its text under
  /// `AREA.NAME.VALUE`.
  /// - Parameter area: the message key's part before the code: `publications.gate` for
  ///   `publications.gate.too_few_entries`. A message with plural forms uses the value `count`.
  package func message(_ area: String, _ data: some CodedData) -> String {
    let key = "\(area).\(data.code.rawValue)"
    let values = Dictionary(
      uniqueKeysWithValues: data.values.map { ($0, text(of: $1, named: $0, in: area, of: key)) })
    guard case .forms = entries[key], case .integer(let number) = data.values["count"] else { return self(key, values) }
    return count(key, Int(clamping: number), values)
  }

  /// The message of a code in two parts: the text without its value `detail`, and that value, an English message of
  /// another program. A message with `{detail}` ends with it.
  package func parts(_ area: String, _ data: some CodedData) -> (text: String, detail: String) {
    guard case .text(let detail) = data.values["detail"] else { return (message(area, data), "") }
    let text = message(area, data)
    return text.hasSuffix(detail) ? (String(text.dropLast(detail.count)), detail) : (text, "")
  }

  private func text(of value: CodedValue, named name: String, in area: String, of key: String) -> String {
    switch value {
    case .integer(let value):
      if case .forms = entries["\(key).\(name)"] { return count("\(key).\(name)", Int(clamping: value)) }
      if name.hasSuffix("_bytes") { return bytes(value) }
      return number(value) + (name.hasSuffix("_percent") ? language.percentSign : "")
    case .decimal(let value) where name.hasSuffix("_percent"): return decimal(value) + language.percentSign
    case .decimal(let value): return decimal(value, places: 2)
    case .text(let value):
      switch name.split(separator: "_").last {
      case "category": return ReportCategory(slug: value).map(category) ?? value
      case "country": return country(value)
      case "day": return day(value)
      // Names of several conditions, with commas between them.
      case "conditions":
        return value.split(separator: ",").map { find("\(area).\(name).\($0)") ?? String($0) }
          .joined(separator: ", ")
      default: return find("\(area).\(name).\(value)") ?? value
      }
    }
  }
}
