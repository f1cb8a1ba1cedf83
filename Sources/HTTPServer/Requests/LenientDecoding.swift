// SPDX-License-Identifier: Apache-2.0

/// A value or its error, so that one wrong item of an array does not make the others fail.
package enum LenientItem<Value: Decodable>: Decodable {
  case value(Value)
  case malformed(Problem.Field)

  /// - Throws: never; text that is not JSON fails earlier.
  package init(from decoder: any Decoder) throws {
    do {
      self = .value(try Value(from: decoder))
    } catch {
      // Foundation parses strings and numbers late and reports their errors with its own type.
      let field = (error as? DecodingError).flatMap { JSON.field(of: $0, below: decoder.codingPath.count) }
      self = .malformed(field ?? .init(pointer: "", code: "malformed", detail: "A string or number is not valid."))
    }
  }
}

/// An array with a maximum count of items; a longer one is refused before any item is read.
package struct LenientArray<Value: Decodable>: Decodable {
  package let items: [LenientItem<Value>]

  package init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    let count = container.count ?? 0
    guard (1...Batch.limit).contains(count) else { throw Problem.tooMany(limit: Batch.limit) }
    var items: [LenientItem<Value>] = []
    items.reserveCapacity(count)
    while !container.isAtEnd { items.append(try container.decode(LenientItem<Value>.self)) }
    self.items = items
  }
}

/// Limits of batches.
package enum Batch {
  /// Maximum items.
  package static let limit = 1_000
}
