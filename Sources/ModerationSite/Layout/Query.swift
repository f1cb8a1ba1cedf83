// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird

/// Builds addresses with queries.
enum Query {
  /// A path with query fields; fields without a value are omitted.
  static func address(_ path: String, _ fields: KeyValuePairs<String, String>) -> String {
    let parts = fields.filter { !$0.value.isEmpty }.map { "\($0.key)=\(encoded($0.value))" }
    return parts.isEmpty ? path : "\(path)?\(parts.joined(separator: "&"))"
  }

  private static func encoded(_ value: String) -> String {
    value.addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: "-._~").union(.alphanumerics)) ?? ""
  }
}

extension Request {
  /// A trimmed query field; empty if it is missing or longer than 400 bytes.
  func query(_ name: String) -> String {
    let text = uri.queryParameters[Substring(name)].map(String.init) ?? ""
    return text.utf8.count <= 400 ? text.trimmingCharacters(in: .whitespacesAndNewlines) : ""
  }
}
