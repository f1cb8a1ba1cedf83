/// A value, or what is wrong with it: so that a bad one in an array does not spoil the others.
package enum Lenient<Value: Decodable>: Decodable {
  case value(Value)
  case malformed(Problem.Field)

  /// - Throws: never; text that is not JSON does not come so far.
  package init(from decoder: any Decoder) throws {
    do {
      self = .value(try Value(from: decoder))
    } catch {
      // Strings and numbers are looked into late; what is wrong there has an error of Foundation's own.
      let field = (error as? DecodingError).flatMap { JSON.field(of: $0, below: decoder.codingPath.count) }
      self = .malformed(field ?? .init(pointer: "", code: "malformed", detail: "A string or number is not valid."))
    }
  }
}

/// An array that may have so many items and no more; a longer one is refused before any of them is read.
package struct LenientArray<Value: Decodable>: Decodable {
  package let items: [Lenient<Value>]

  package init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    let count = container.count ?? 0
    guard (1...Batch.limit).contains(count) else { throw Problem.tooMany(limit: Batch.limit) }
    var items: [Lenient<Value>] = []
    items.reserveCapacity(count)
    while !container.isAtEnd { items.append(try container.decode(Lenient<Value>.self)) }
    self.items = items
  }
}

/// The rules for several items in one request.
package enum Batch {
  /// The most of them.
  package static let limit = 1_000
}
