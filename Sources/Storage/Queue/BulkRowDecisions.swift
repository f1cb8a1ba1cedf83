// SPDX-License-Identifier: Apache-2.0

package import Curation
import Foundation

/// The decisions of a bulk from a file, as they are stored: each decision once, and its place for each number.
package struct BulkRowDecisions: Sendable, Equatable {
  private let decisions: [DecisionValues]
  let places: [Int32]

  /// - Parameter rows: the decision of each chosen number, in their order.
  init(_ rows: [DecisionValues]) {
    var known: [DecisionValues: Int32] = [:]
    var decisions: [DecisionValues] = []
    places = rows.map { values in
      if let place = known[values] { return place }
      decisions.append(values)
      known[values] = Int32(decisions.count - 1)
      return Int32(decisions.count - 1)
    }
    self.decisions = decisions
  }

  /// - Returns: nil for a bulk with one decision for all numbers.
  init?(json: String?, places: [Int32]?) throws {
    guard let json, let places else { return nil }
    decisions = try JSONDecoder().decode([DecisionValues].self, from: Data(json.utf8))
    self.places = places
  }

  var json: String {
    // Strings and times always encode.
    String(decoding: (try? JSONEncoder().encode(decisions)) ?? Data(), as: UTF8.self)
  }

  /// - Parameter numbers: the chosen numbers.
  package func values(of numbers: [Int64]) -> [Int64: DecisionValues] {
    Dictionary(zip(numbers, places).map { ($0, decisions[Int($1)]) }) { first, _ in first }
  }
}
