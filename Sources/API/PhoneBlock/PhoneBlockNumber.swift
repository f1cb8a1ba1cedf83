// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import PhoneNumbers

/// Numbers as PhoneBlock's clients write them.
struct PhoneBlockNumber: Sendable {
  /// The region of national numbers; nil refuses them.
  let region: PhoneRegion?

  /// The prefix of the region's numbers, such as `+49`; empty without a region.
  var dialPrefix: String { region.map { "+\($0.callingCode)" } ?? "" }

  /// Reads a number of the region, or the digits of an international number without its plus; the first that is in the
  /// numbering plan, else the first that it may not have yet.
  /// - Parameter isInternational: whether digits alone are read as an international number first.
  /// - Throws: ``PhoneBlockError``.
  func read(_ text: String, isInternational: Bool = false) throws -> PhoneNumber {
    guard text.utf8.count <= 64 else { throw PhoneBlockError.invalidNumber }
    let regions = isInternational ? [nil, region?.code] : [region?.code, nil]
    let numbers = regions.compactMap { try? PhoneNumber.parsePossible(text, region: $0, isInternational: $0 == nil) }
    guard let found = numbers.first(where: \.isAssigned) ?? numbers.first else { throw PhoneBlockError.invalidNumber }
    return found.number
  }

  /// Reads a component of a path.
  func read(component: String, isInternational: Bool = false) throws -> PhoneNumber {
    try read(component.removingPercentEncoding ?? component, isInternational: isInternational)
  }

  /// Whether the query says that a number is the beginning of others.
  /// - Throws: ``PhoneBlockError`` for another value than `true` and `false`.
  static func isPrefix(_ request: Request) throws -> Bool {
    switch request.uri.queryParameters["wildcard"] {
    case "true": true
    case nil, "false": false
    case .some(let other): throw PhoneBlockError.invalid("wildcard", other, "true or false")
    }
  }

  /// The digits of a beginning of numbers, such as `+49302` or `0049302`. Shorter ones would be a part of a country.
  /// - Throws: ``PhoneBlockError``.
  func readPrefix(component: String) throws -> Int64 {
    let text = component.removingPercentEncoding ?? component
    let digits = text.hasPrefix("+") ? text.dropFirst() : text.hasPrefix("00") ? text.dropFirst(2) : text[...]
    guard (5...14).contains(digits.utf8.count), digits.first != "0",
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(digits)
    else { throw PhoneBlockError.invalidNumber }
    return number
  }
}
