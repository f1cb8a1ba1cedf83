import Foundation
import Hummingbird

/// Addresses with queries.
enum Query {
  /// A path with fields behind it, those without a value left out.
  static func address(_ path: String, _ fields: KeyValuePairs<String, String>) -> String {
    let parts = fields.filter { !$0.value.isEmpty }.map { "\($0.key)=\(encoded($0.value))" }
    return parts.isEmpty ? path : "\(path)?\(parts.joined(separator: "&"))"
  }

  private static func encoded(_ value: String) -> String {
    value.addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: "-._~").union(.alphanumerics)) ?? ""
  }
}

extension Request {
  /// A field of the query, without space around it; empty where there is none, or it is longer than anybody types.
  func query(_ name: String) -> String {
    let text = uri.queryParameters[Substring(name)].map(String.init) ?? ""
    return text.utf8.count <= 400 ? text.trimmingCharacters(in: .whitespacesAndNewlines) : ""
  }
}
