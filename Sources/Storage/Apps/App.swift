// SPDX-License-Identifier: Apache-2.0

/// An app that may send reports, or an imported list.
public struct App: Sendable, Equatable {
  /// Key of its row.
  public let id: Int32
  /// Unique, 1 to 80 characters.
  public let name: String
  /// The key of the request; nil for a list, and where no key was asked for.
  public var keyID: Int32?
  /// The scopes of that key.
  public var scopes: AppScopes = []

  /// Whether an app may have this name: 1 to 80 characters without line ends and control characters, which could forge
  /// lines of a list or move a terminal's cursor.
  public static func isName(_ name: String) -> Bool {
    (1...80).contains(name.count)
      && !name.unicodeScalars.contains { scalar in
        [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
      }
  }
}
