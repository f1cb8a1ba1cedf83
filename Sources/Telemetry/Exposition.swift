/// Writes metrics as Prometheus reads them: its text format 0.0.4, or OpenMetrics 1.0.0.
///
/// Formats: https://prometheus.io/docs/instrumenting/exposition_formats/ and https://openmetrics.io
public struct Exposition: Sendable {
  /// Which text is written.
  public enum Format: Sendable {
    case prometheus
    case openMetrics

    /// For the answer's head.
    public var contentType: String {
      switch self {
      case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
      case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
      }
    }
  }

  private let format: Format
  private var lines: [String] = []

  init(_ format: Format) {
    self.format = format
  }

  /// The whole text.
  var text: String {
    (lines + (format == .openMetrics ? ["# EOF"] : [])).map { $0 + "\n" }.joined()
  }

  /// A count that only rises.
  /// - Parameters:
  ///   - name: ends in `_total`.
  ///   - values: a value for each set of labels.
  public mutating func counter(_ name: String, _ help: String, _ values: [(labels: [Label], value: Double)]) {
    head(format == .openMetrics ? String(name.dropLast("_total".count)) : name, "counter", help)
    for (labels, value) in values { line(name, labels, value) }
  }

  /// A value that rises and falls.
  public mutating func gauge(_ name: String, _ help: String, _ values: [(labels: [Label], value: Double)]) {
    head(name, "gauge", help)
    for (labels, value) in values { line(name, labels, value) }
  }

  /// A single value that rises and falls; nothing where it is not known.
  public mutating func gauge(_ name: String, _ help: String, _ value: Double?) {
    guard let value else { return }
    gauge(name, help, [([], value)])
  }

  mutating func histogram(_ name: String, _ help: String, _ series: [(labels: [Label], histogram: Histogram)]) {
    head(name, "histogram", help)
    for (labels, histogram) in series {
      let (cumulative, sum) = histogram.reading
      for (bound, count) in zip(histogram.bounds.map(Self.number) + ["+Inf"], cumulative) {
        line("\(name)_bucket", labels + [Label("le", bound)], Double(count))
      }
      line("\(name)_sum", labels, sum)
      line("\(name)_count", labels, Double(cumulative.last ?? 0))
    }
  }

  private mutating func head(_ name: String, _ type: String, _ help: String) {
    lines.append("# HELP \(name) \(help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n"))")
    lines.append("# TYPE \(name) \(type)")
  }

  private mutating func line(_ name: String, _ labels: [Label], _ value: Double) {
    let written = labels.map { label in
      let value = label.value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
      return "\(label.name)=\"\(value)\""
    }
    lines.append("\(name)\(written.isEmpty ? "" : "{\(written.joined(separator: ","))}") \(Self.number(value))")
  }

  /// Whole numbers without a point.
  private static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }
}
