// SPDX-License-Identifier: Apache-2.0

import Curation
import PostgreSQL

/// Listed numbers, except those that were allowed since, and those whose decision is no longer in
/// force and which no pack blocks.
enum ListedSQL {
  /// Whether packs block a listing `l`, and its number's decision `r` does not prevent that.
  static let mayBlock = "l.treatment = 0 AND coalesce(r.decision = 'block', true)"

  /// - Parameter condition: on `l`, the listings.
  static func find(where condition: String) -> String {
    """
    SELECT l.number, coalesce(r.category_id, l.category_id), r.label,
           \(mayBlock),
           r.number IS NULL AND l.treatment = 0 AND EXISTS (
             SELECT 1 FROM appeals a WHERE a.number = l.number AND a.state <> 'rejected'),
           EXISTS (SELECT 1 FROM protected_numbers p WHERE p.number = l.number)
             OR EXISTS (
               SELECT 1 FROM protected_patterns p WHERE '+' || l.number::text LIKE translate(p.pattern, 'x*', '_%'))
    FROM listings l LEFT JOIN number_decisions r ON r.number = l.number
    WHERE \(condition)
      AND r.decision IS DISTINCT FROM 'allow'
      AND (r.number IS NOT NULL OR l.cause <> 1 OR l.treatment = 0)
    """
  }
}

struct ListedCandidate: Sendable {
  let number: Int64
  var listed: ListedHash
  /// Whether an appeal may prevent blocking the number.
  let isAppealed: Bool
  /// Whether a number or a pattern may protect it.
  let mayBeProtected: Bool
}

extension SQL {
  /// Listed numbers whose hash has this prefix.
  static func findListedByHash(prefix: NumberHashPrefix) -> Statement<ListedCandidate> {
    // The expression must equal that of the index listings_by_hash.
    let bounds = prefix.bounds
    return Statement(
      """
      \(ListedSQL.find(where: "substr(sha256(('+' || l.number::text)::bytea), 1, 4) BETWEEN $1 AND $2"))
      LIMIT $3::bigint
      """,
      bounds.least, bounds.greatest, Int64(HashLookupStore.mostEntries), decode: decodeListedCandidate)
  }

  static func decodeListedCandidate(_ row: PostgresRow) throws -> ListedCandidate {
    let number: Int64 = try row.decode(0)
    let category = try row.category(1)
    return ListedCandidate(
      number: number,
      listed: ListedHash(
        hash: NumberHash.of(number), category: category, label: try row.decode(2) ?? category.label,
        mayBlock: try row.decode(3)),
      isAppealed: try row.decode(4), mayBeProtected: try row.decode(5))
  }

  /// A listed number.
  static func findListedNumber(number: Int64) -> Statement<ListedCandidate> {
    Statement(
      ListedSQL.find(where: "l.number = $1"),
      number, decode: decodeListedCandidate)
  }
}
