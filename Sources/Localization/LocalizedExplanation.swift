// SPDX-License-Identifier: Apache-2.0

package import Curation

/// The JSON of an explanation for the API and the command line: its codes and figures, and the sentences of `account`.
package struct LocalizedExplanation: Encodable {
  private enum Key: String, CodingKey {
    case account
  }

  private let explanation: Explanation
  /// One or two sentences for each line.
  package let account: [String]

  package init(_ explanation: Explanation, _ texts: Localizer) {
    self.explanation = explanation
    account = explanation.lines.map { texts.message($0) }
  }

  package func encode(to encoder: any Encoder) throws {
    try explanation.encode(to: encoder)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(account, forKey: .account)
  }
}
