// SPDX-License-Identifier: Apache-2.0

import Foundation
import Yams

extension Node {
  /// The members of a mapping, in the order of the file; empty for another node.
  var members: [(name: String, value: Node)] { mapping?.map { ($0.key.string ?? "", $0.value) } ?? [] }

  /// The node as JSON, with members in the order of the file.
  /// - Parameter isPretty: whether to break and indent lines.
  func json(isPretty: Bool = false) -> String { json(lineBreak: isPretty ? "\n" : "") }

  /// - Parameter lineBreak: a line break and the indentation of this value; empty for JSON in one line.
  private func json(lineBreak: String) -> String {
    let inner = lineBreak.isEmpty ? "" : "\(lineBreak)  "
    switch self {
    case .scalar(let scalar):
      return scalar.isLiteral ? scalar.string : Self.quoted(scalar.string)
    case .sequence(let items):
      guard !items.isEmpty else { return "[]" }
      return "[\(inner)\(items.map { $0.json(lineBreak: inner) }.joined(separator: ",\(inner)"))\(lineBreak)]"
    case .mapping:
      guard !members.isEmpty else { return "{}" }
      let space = lineBreak.isEmpty ? "" : " "
      let members = members.map { "\(Self.quoted($0.name)):\(space)\($0.value.json(lineBreak: inner))" }
      return "{\(inner)\(members.joined(separator: ",\(inner)"))\(lineBreak)}"
    case .alias:
      // The parser replaces aliases by the nodes that they refer to.
      return "null"
    }
  }

  private static let encoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return encoder
  }()

  private static func quoted(_ text: String) -> String {
    // A string always encodes.
    String(decoding: try! encoder.encode(text), as: UTF8.self)
  }
}

extension Node.Scalar {
  /// Whether a plain scalar is null, a boolean or a number, by the JSON schema of YAML 1.2, which OpenAPI recommends.
  fileprivate var isLiteral: Bool {
    guard style == .plain, let first = string.utf8.first else { return false }
    guard first == UInt8(ascii: "-") || (0x30...0x39).contains(first) else {
      return ["null", "true", "false"].contains(string)
    }
    return string.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil
  }
}
