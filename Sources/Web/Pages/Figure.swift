import Foundation

/// Figures as people read them.
enum Figure {
  static func decimal(_ value: Double) -> String { String(format: "%.1f", value) }
  static func percent(_ value: Double) -> String { String(format: "%.0f %%", value * 100) }
}
