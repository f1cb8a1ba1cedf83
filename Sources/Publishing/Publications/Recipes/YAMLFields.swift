// SPDX-License-Identifier: Apache-2.0

import Yams

/// The fields of a YAML mapping with known names.
struct YAMLFields {
  private let node: Node
  private let values: [String: Node]
  private let reader: RecipeReader

  /// Notes an error for each unknown name. Nil, with an error noted, if the node is not a mapping.
  init?(_ node: Node, of what: String, known: Set<String>, reader: RecipeReader) {
    guard let mapping = node.mapping else {
      reader.report(node, "\(what) must have fields: \(known.sorted().joined(separator: ", "))")
      return nil
    }
    var values: [String: Node] = [:]
    for (key, value) in mapping {
      let name = key.scalar?.string ?? ""
      if known.contains(name) {
        values[name] = value
      } else {
        reader.report(
          key, "\(what) has no field “\(name.prefix(40))”; it may have \(known.sorted().joined(separator: ", "))")
      }
    }
    self.node = node
    self.values = values
    self.reader = reader
  }

  subscript(name: String) -> Node? { values[name] }

  /// A required field; notes an error if it is missing.
  func required(_ name: String) -> Node? {
    if values[name] == nil { reader.report(node, "\(name) is missing") }
    return values[name]
  }

  /// A value of an enumeration, or `default` if the field is missing. Notes an error if there is no default.
  func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ name: String, _: Value.Type, default value: Value? = nil
  ) -> Value? {
    guard let node = value == nil ? required(name) : values[name] else { return value }
    if let found = node.scalar.flatMap({ Value(rawValue: $0.string) }) { return found }
    reader.report(node, "\(name) must be \(Value.allCases.map(\.rawValue).joined(separator: ", "))")
    return nil
  }

  /// An optional boolean; false if the field is missing.
  func flag(_ name: String) -> Bool {
    guard let node = values[name] else { return false }
    switch node.scalar?.string {
    case "true": return true
    case "false": return false
    default:
      reader.report(node, "\(name) must be true or false")
      return false
    }
  }

  /// A required integer.
  func integer(_ name: String, _ range: ClosedRange<Int>) -> Int? {
    guard let node = required(name) else { return nil }
    // Digits may be grouped: 1_999_999.
    if let value = node.scalar.flatMap({ Int($0.string.replacing("_", with: "")) }), range.contains(value) {
      return value
    }
    reader.report(node, "\(name) must be \(range.lowerBound) to \(range.upperBound)")
    return nil
  }

  /// An optional decimal number.
  func decimal(_ name: String, _ range: ClosedRange<Double>) -> Double? {
    guard let node = values[name] else { return nil }
    if let value = node.scalar.flatMap({ Double($0.string) }), range.contains(value) { return value }
    reader.report(node, "\(name) must be \(Int(range.lowerBound)) to \(Int(range.upperBound))")
    return nil
  }
}
