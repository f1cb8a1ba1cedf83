// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Formats figures for files and forms: with a decimal point and without digit groups.
package enum PlainNumber {
  private static let powers: [Double] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]

  /// The parts of a figure, rounded half away from zero; nil if it is not finite or too large.
  /// - Parameter places: decimal places, 0 to 8.
  package static func parts(_ value: Double, places: Int) -> (isNegative: Bool, whole: Int64, fraction: String)? {
    let scaled = (value * powers[places]).rounded()
    guard scaled.magnitude < 1e15 else { return nil }
    let (whole, rest) = Int64(scaled.magnitude).quotientAndRemainder(dividingBy: Int64(powers[places]))
    let digits = places == 0 ? "" : String(rest)
    return (scaled < 0, whole, String(repeating: "0", count: places - digits.utf8.count) + digits)
  }

  /// A figure with 0 to 8 decimal places.
  package static func fixed(_ value: Double, places: Int) -> String {
    guard let (isNegative, whole, fraction) = parts(value, places: places) else { return "\(value)" }
    return (isNegative ? "-" : "") + String(whole) + (fraction.isEmpty ? "" : "." + fraction)
  }

  /// A figure as it is typed: at most six digits, so that a stored 0.30000000000000004 becomes 0.3.
  package static func plain(_ value: Double) -> String {
    if value == value.rounded(), value.magnitude < 1e15 { return String(Int64(value)) }
    // Without an exponent, which forms cannot read, from 0.00001 to 1,000,000; below 0.01 with eight decimal places.
    guard (0.00001..<1e6).contains(value.magnitude) else { return value == 0 ? "0" : String(format: "%.6g", value) }
    let places =
      value.magnitude < 0.01
      ? 8 : value.magnitude < 0.1 ? 7 : value.magnitude < 1 ? 6 : 6 - String(Int(value.magnitude)).utf8.count
    var text = fixed(value, places: places)[...]
    if text.utf8.contains(UInt8(ascii: ".")) {
      while text.utf8.last == UInt8(ascii: "0") { text.removeLast() }
      if text.utf8.last == UInt8(ascii: ".") { text.removeLast() }
    }
    return String(text)
  }
}
