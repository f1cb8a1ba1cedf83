// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
package import PostgreSQL

/// A filter of the queue with its order, saved under a name.
public struct SavedFilter: Sendable, Equatable {
  /// The most characters of a name.
  public static let nameLength = 60
  /// The most filters of an account.
  public static let most = 20
  /// The most filters on a page, with those that others share.
  fileprivate static let shown = 100

  public var id: UUID
  public var account: String
  /// Its name, 1 to ``nameLength`` characters; unique for the account.
  public var name: String
  public var filter: QueueFilter
  public var order: QueueOrder
  /// Whether all accounts see it.
  public var isShared: Bool

  /// - Throws: `RuleViolation` for a name that is blank, too long or not one line.
  public init(
    id: UUID = UUID(), account: String, name: String, filter: QueueFilter, order: QueueOrder, isShared: Bool
  ) throws(RuleViolation) {
    self.init(
      id: id, account: account, checked: try RuleViolation.line(name, "name", atMost: Self.nameLength),
      filter: filter, order: order, isShared: isShared)
  }

  init(id: UUID, account: String, checked name: String, filter: QueueFilter, order: QueueOrder, isShared: Bool) {
    (self.id, self.account, self.name) = (id, account, name)
    (self.filter, self.order, self.isShared) = (filter, order, isShared)
  }
}

extension SQL {
  /// The saved filters that an account sees: its own and the shared ones, by name.
  static func readSavedFilters(account: String) -> Statement<SavedFilter> {
    Statement(
      """
      SELECT filter_id, account, name, country, category_id, cause, days, sort, is_shared, is_mine FROM saved_filters
      WHERE account = $1 OR is_shared ORDER BY (account <> $1), lower(name), filter_id LIMIT $2::bigint
      """,
      account, Int64(SavedFilter.shown)
    ) { try SavedFilter($0) }
  }

  package static func readSavedFilter(id: UUID) -> Statement<SavedFilter> {
    Statement(
      """
      SELECT filter_id, account, name, country, category_id, cause, days, sort, is_shared, is_mine FROM saved_filters
      WHERE filter_id = $1
      """,
      id
    ) { try SavedFilter($0) }
  }

  /// Saves a filter in place of the account's filter of the same name; no row where the account has too many others.
  package static func saveFilter(filter: SavedFilter, time: Date) -> Statement<UUID> {
    Statement(
      """
      INSERT INTO saved_filters AS f
        (filter_id, account, name, country, category_id, cause, days, sort, is_shared, saved_at, is_mine)
      SELECT $1::uuid, $2::text, $3::text, $4::text, $5::smallint, $6::smallint, $7::integer, $8::text, $9::boolean,
             $10::timestamptz, $12::boolean
      WHERE (SELECT count(*) FROM saved_filters o WHERE o.account = $2::text AND o.name <> $3::text) < $11::bigint
      ON CONFLICT (account, name) DO UPDATE SET
        country = excluded.country, category_id = excluded.category_id, cause = excluded.cause, days = excluded.days,
        sort = excluded.sort, is_shared = excluded.is_shared, saved_at = excluded.saved_at,
        is_mine = excluded.is_mine
      RETURNING filter_id
      """,
      filter.id, filter.account, filter.name, filter.filter.country, filter.filter.category?.rawValue,
      filter.filter.cause?.bit, filter.filter.days.map { Int32($0) }, filter.order.rawValue, filter.isShared, time,
      Int64(SavedFilter.most), filter.filter.isMine)
  }

  package static func deleteSavedFilter(id: UUID) -> Statement<Void> {
    Statement("DELETE FROM saved_filters WHERE filter_id = $1", id)
  }
}

extension SavedFilter {
  /// A value that this version does not know matches everything, as in an address.
  fileprivate init(_ row: PostgresRow) throws {
    let cause: Int16? = try row.decode(5)
    let days: Int32? = try row.decode(6)
    let filter = QueueFilter(
      country: try row.decode(3), category: try row.decode(4, as: Int16?.self).flatMap { ReportCategory(rawValue: $0) },
      cause: cause.flatMap { bit in QueueCause.allCases.first { $0.bit == bit } }, days: days.map { Int($0) },
      isMine: try row.decode(9))
    self.init(
      id: try row.decode(0), account: try row.decode(1), checked: try row.decode(2), filter: filter,
      order: QueueOrder(rawValue: try row.decode(7)) ?? .urgency, isShared: try row.decode(8))
  }
}
