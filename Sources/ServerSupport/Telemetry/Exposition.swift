// SPDX-License-Identifier: Apache-2.0

/// Writes metrics in Prometheus' text format 0.0.4 or OpenMetrics 1.0.0.
///
/// Formats: https://prometheus.io/docs/instrumenting/exposition_formats/ and https://openmetrics.io
public struct Exposition: Sendable {
  public enum Format: Sendable {
    case prometheus
    case openMetrics

    public var contentType: String {
      switch self {
      case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
      case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
      }
    }
  }

  private let format: Format
  private let descriptions: [String: MetricDescription]
  private var lines = ""

  init(_ format: Format, _ descriptions: [String: MetricDescription]) {
    self.format = format
    self.descriptions = descriptions
  }

  var text: String { lines + (format == .openMetrics ? "# EOF\n" : "") }

  /// Writes a count that only rises.
  /// - Parameters:
  ///   - name: ends in `_total`; its help text comes from ``MetricDescriptions``.
  ///   - values: one value for each set of labels.
  public mutating func counter(_ name: String, _ values: [(labels: [(String, String)], value: Double)]) {
    head(name, .counter)
    for (labels, value) in values { line(name, PrometheusText.labels(labels), value) }
  }

  /// Writes a value that rises and falls.
  public mutating func gauge(_ name: String, _ values: [(labels: [(String, String)], value: Double)]) {
    head(name, .gauge)
    for (labels, value) in values { line(name, PrometheusText.labels(labels), value) }
  }

  /// Writes nothing for nil.
  public mutating func gauge(_ name: String, _ value: Double?) {
    guard let value else { return }
    gauge(name, [([], value)])
  }

  mutating func head(_ name: String, _ kind: MetricKind) {
    let help = descriptions[name]?.help ?? MetricDescription.libraryHelp
    let family = kind == .counter && format == .openMetrics ? String(name.dropLast("_total".count)) : name
    lines += "# HELP \(family) \(PrometheusText.escaped(help))\n# TYPE \(family) \(kind.rawValue)\n"
  }

  mutating func line(_ name: String, _ labels: String, _ value: Double) {
    lines += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(PrometheusText.number(value))\n"
  }
}

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
