package import Curation

extension Localizer {
  /// The message of a code, with its values written as the reader writes them.
  /// - Parameter area: what the message's key has before the code: `publications.gate` for
  ///   `publications.gate.too_few_entries`. A message in plural forms goes by the value `count`.
  package func message(_ area: String, _ data: some CodedData) -> String {
    let key = "\(area).\(data.code.rawValue)"
    let values = Dictionary(uniqueKeysWithValues: data.values.map { ($0, text(of: $1, named: $0)) })
    guard case .forms = entries[key], case .integer(let number) = data.values["count"] else { return self(key, values) }
    return count(key, Int(clamping: number), values)
  }

  /// The message of a code in two parts: without its value `detail`, and that value, which is a text of another program
  /// in English. A message with `{detail}` ends with it.
  package func parts(_ area: String, _ data: some CodedData) -> (text: String, detail: String) {
    guard case .text(let detail) = data.values["detail"] else { return (message(area, data), "") }
    let text = message(area, data)
    return text.hasSuffix(detail) ? (String(text.dropLast(detail.count)), detail) : (text, "")
  }

  private func text(of value: CodedValue, named name: String) -> String {
    switch value {
    case .integer(let value) where name.hasSuffix("_bytes"): bytes(value)
    case .integer(let value) where name.hasSuffix("_percent"): number(value) + language.percentSign
    case .integer(let value): number(value)
    case .decimal(let value) where name.hasSuffix("_percent"): decimal(value) + language.percentSign
    case .decimal(let value): decimal(value, places: 2)
    case .text(let value): value
    }
  }
}
