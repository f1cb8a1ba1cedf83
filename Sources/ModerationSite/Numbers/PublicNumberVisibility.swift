/// Whether everybody may look numbers up in a browser.
package enum PublicNumberVisibility: String, Sendable, CaseIterable {
  /// Nobody may.
  case off
  /// Everybody may, and search engines are asked to leave the pages out.
  case hidden
  /// Everybody may, and search engines may show listed numbers.
  case indexed
}
