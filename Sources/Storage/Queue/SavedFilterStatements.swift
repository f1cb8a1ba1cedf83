// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// The saved filters that an account sees: its own and the shared ones, by name.
struct ReadSavedFilters: PostgresStatement {
  let account: String
  let limit: Int

  static let sql = """
    SELECT filter_id, account, name, country, category_id, cause, days, sort, is_shared FROM saved_filters
    WHERE account = $1 OR is_shared ORDER BY (account <> $1), lower(name), filter_id LIMIT $2::bigint
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(account)
    parameters.append(Int64(limit))
  }

  static func decode(_ row: PostgresRow) throws -> SavedFilter { try SavedFilter(row) }
}

/// One saved filter.
struct ReadSavedFilter: PostgresStatement {
  let id: UUID

  static let sql = """
    SELECT filter_id, account, name, country, category_id, cause, days, sort, is_shared FROM saved_filters
    WHERE filter_id = $1
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(id) }

  static func decode(_ row: PostgresRow) throws -> SavedFilter { try SavedFilter(row) }
}

/// Saves a filter in place of the account's filter of the same name; no row where the account has too many others.
struct SaveFilter: PostgresStatement {
  let filter: SavedFilter
  let time: Date

  static let sql = """
    INSERT INTO saved_filters AS f
      (filter_id, account, name, country, category_id, cause, days, sort, is_shared, saved_at)
    SELECT $1::uuid, $2::text, $3::text, $4::text, $5::smallint, $6::smallint, $7::integer, $8::text, $9::boolean,
           $10::timestamptz
    WHERE (SELECT count(*) FROM saved_filters o WHERE o.account = $2::text AND o.name <> $3::text) < $11::bigint
    ON CONFLICT (account, name) DO UPDATE SET
      country = excluded.country, category_id = excluded.category_id, cause = excluded.cause, days = excluded.days,
      sort = excluded.sort, is_shared = excluded.is_shared, saved_at = excluded.saved_at
    RETURNING filter_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(filter.id)
    parameters.append(filter.account)
    parameters.append(filter.name)
    parameters.append(filter.filter.country)
    parameters.append(filter.filter.category?.rawValue)
    parameters.append(filter.filter.cause?.bit)
    parameters.append(filter.filter.days.map { Int32($0) })
    parameters.append(filter.order.rawValue)
    parameters.append(filter.isShared)
    parameters.append(time)
    parameters.append(Int64(SavedFilter.most))
  }

  static func decode(_ row: PostgresRow) throws -> UUID { try row.decode(0) }
}

/// Deletes a saved filter.
struct DeleteSavedFilter: PostgresStatement {
  typealias Row = Void
  let id: UUID

  static let sql = "DELETE FROM saved_filters WHERE filter_id = $1"

  func bind(into parameters: inout PostgresParameters) { parameters.append(id) }
}

extension SavedFilter {
  /// A value that this version does not know matches everything, as in an address.
  fileprivate init(_ row: PostgresRow) throws {
    let cause: Int16? = try row.decode(5)
    let days: Int32? = try row.decode(6)
    let filter = QueueFilter(
      country: try row.decode(3), category: try row.decode(4, as: Int16?.self).flatMap { ReportCategory(rawValue: $0) },
      cause: cause.flatMap { bit in QueueCause.allCases.first { $0.bit == bit } }, days: days.map { Int($0) })
    self.init(
      id: try row.decode(0), account: try row.decode(1), checked: try row.decode(2), filter: filter,
      order: QueueOrder(rawValue: try row.decode(7)) ?? .urgency, isShared: try row.decode(8))
  }
}
