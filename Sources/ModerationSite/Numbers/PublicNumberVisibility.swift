// SPDX-License-Identifier: Apache-2.0

/// The visibility of the public number pages.
package enum PublicNumberVisibility: String, Sendable, CaseIterable {
  /// The pages do not exist.
  case off
  /// Everybody can open them; search engines are asked not to index them.
  case hidden
  /// Everybody can open them; search engines may index listed numbers.
  case indexed
}
