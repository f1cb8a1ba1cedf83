// SPDX-License-Identifier: Apache-2.0

import Foundation

extension CodedData {
  /// The flat object as text, with sorted keys, as stored in the database.
  public var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Encoding texts and finite numbers cannot fail.
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{\"code\":\"\(code.rawValue)\"}"
  }

  /// Reads the flat object from text.
  /// - Throws: `DecodingError`, also where the code is not known.
  public init(json: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(json.utf8))
  }
}

extension CodedValue {
  /// A text that another program or the operating system made, or a path: at most 1,000 characters, and no NUL, which
  /// PostgreSQL refuses. By convention the value `detail` is such a text, in English.
  public static func foreign(_ text: String) -> CodedValue {
    .text(String(String.UnicodeScalarView(text.unicodeScalars.lazy.filter { $0 != "\0" }.prefix(1_000))))
  }
}
