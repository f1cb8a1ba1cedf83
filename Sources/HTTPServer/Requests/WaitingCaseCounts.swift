// SPDX-License-Identifier: Apache-2.0

/// The counts of waiting cases in a page's navigation.
package struct WaitingCaseCounts: Sendable {
  /// Cases that the reader's role may decide.
  package var own: Int
  /// All cases.
  package var all: Int

  /// - Parameters: see the properties.
  package init(own: Int = 0, all: Int = 0) {
    self.own = own
    self.all = all
  }
}
