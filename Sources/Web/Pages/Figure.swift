import Foundation

/// Figures as people read them.
enum Figure {
  /// With one decimal place.
  static func decimal(_ value: Double) -> String {
    let tenths = (value * 10).rounded()
    guard tenths.magnitude < 1e15 else { return String(format: "%.1f", value) }
    let whole = Int64(tenths.magnitude)
    return "\(tenths < 0 ? "-" : "")\(whole / 10).\(whole % 10)"
  }

  static func percent(_ value: Double) -> String { String(format: "%.0f %%", value * 100) }
}
