// SPDX-License-Identifier: Apache-2.0

/// The forms of names, labels and numbers in Prometheus' text.
enum PrometheusText {
  /// Replaces all characters except letters, digits and underscores, such as the dots of many libraries, by
  /// underscores; a name does not begin with a digit.
  static func name(_ text: String) -> String {
    var name = String(
      text.unicodeScalars.map { scalar -> Character in
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": Character(scalar)
        default: "_"
        }
      })
    if name.first.map({ ("0"..."9").contains($0) }) ?? true { name = "_" + name }
    return name
  }

  /// Labels in ascending order, so that one series has one form; the first of a name counts.
  static func labels(_ dimensions: [(String, String)]) -> String {
    let values = Dictionary(dimensions.map { (labelName($0), $1) }, uniquingKeysWith: { first, _ in first })
    return values.sorted { $0.key < $1.key }.map { "\($0)=\"\(escaped($1, "\""))\"" }.joined(separator: ",")
  }

  /// `le` is reserved for the bound of a histogram's bucket.
  private static func labelName(_ text: String) -> String {
    let name = name(text)
    return name == "le" ? "exported_le" : name
  }

  /// - Parameter quotes: escaped in addition to backslashes and line ends.
  static func escaped(_ text: String, _ quotes: String = "") -> String {
    let text = text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    return quotes.isEmpty ? text : text.replacing(quotes, with: "\\" + quotes)
  }

  /// Integers are written without a point.
  static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
    return value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }
}
