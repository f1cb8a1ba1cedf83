/// How many cases wait, as the navigation of a page shows it.
package struct WaitingCases: Sendable {
  /// Cases that the reader's role may settle.
  package var own: Int
  /// All cases.
  package var all: Int

  /// - Parameters: see the properties.
  package init(own: Int = 0, all: Int = 0) {
    self.own = own
    self.all = all
  }
}
