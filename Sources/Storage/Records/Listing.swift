public import Curation
import PostgreSQL

/// A number that the last publication lists because of reports.
public struct Listing: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// The category it is listed under.
  public var category: ReportCategory

  /// - Parameters: see the properties.
  public init(number: Int64, category: ReportCategory) {
    self.number = number
    self.category = category
  }
}

/// A row of COPY.
struct ListingRow: PostgresCopyRow {
  let listing: Listing

  func encode(into tuple: inout PostgresCopyTuple) {
    tuple.append(listing.number)
    tuple.append(listing.category.rawValue)
  }
}
