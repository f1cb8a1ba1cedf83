import HTTPTypes

extension HTTPField.Name {
  /// What search engines are told of a page.
  static let robots = HTTPField.Name("X-Robots-Tag")!
}
