// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// SQL that lookups by SHA-1 and by number share. As in lookups by SHA-256, a number whose identifying decision is no
/// longer in force is left out.
private enum CallerSQL {
  static let columns = """
    SELECT l.number, coalesce(r.category_id, l.category_id), r.label, r.decision, l.cause, l.treatment = 0, l.listed_at,
           coalesce(n.heat, 0), coalesce(n.evidence, 0), coalesce(n.legitimate, 0), coalesce(i.named + i.unknown, 0),
           r.number IS NULL AND l.treatment = 0 AND EXISTS (
             SELECT 1 FROM appeals a WHERE a.number = l.number AND a.state <> 'rejected'),
           EXISTS (SELECT 1 FROM protected_numbers p WHERE p.number = l.number)
             OR EXISTS (
               SELECT 1 FROM protected_patterns p WHERE '+' || l.number::text LIKE translate(p.pattern, 'x*', '_%'))
    FROM listings l
    LEFT JOIN number_decisions r ON r.number = l.number
    LEFT JOIN numbers n ON n.number = l.number
    LEFT JOIN number_identifications i ON i.number = l.number
    WHERE (r.number IS NOT NULL OR l.cause <> 1 OR l.treatment = 0)
    """

  static func decode(_ row: PostgresRow) throws -> FoundCaller {
    let decision: String? = try row.decode(3)
    let isBlockListed: Bool = try row.decode(5)
    let caller = ListedCaller(
      number: try row.decode(0), category: try row.category(1), label: try row.decode(2),
      cause: decision == nil
        ? ListedNumber.Cause(rawValue: UInt8(try row.decode(4, as: Int16.self))) ?? .reports : .decision,
      mayBlock: decision.map { $0 == Decision.Treatment.block.rawValue } ?? isBlockListed,
      isAllowed: decision == Decision.Treatment.allow.rawValue, listedAt: try row.decode(6),
      storedHeat: try row.decode(7), storedEvidence: try row.decode(8), storedLegitimate: try row.decode(9),
      calls: try row.decode(10))
    return FoundCaller(caller: caller, isAppealed: try row.decode(11), mayBeProtected: try row.decode(12))
  }
}

/// A row of a lookup, before appeals and protection are evaluated.
struct FoundCaller: Sendable {
  var caller: ListedCaller
  /// Whether an appeal may prevent blocking the number.
  let isAppealed: Bool
  /// Whether a number or a pattern may protect it.
  let mayBeProtected: Bool
}

/// Listed numbers whose SHA-1 begins with the stored bytes of a prefix.
struct FindCallersBySHA1: PostgresStatement {
  let prefix: NumberSHA1Prefix

  static let sql = "\(CallerSQL.columns) AND l.sha1 BETWEEN $1 AND $2 LIMIT $3::bigint"

  func bind(into parameters: inout PostgresParameters) {
    let bounds = prefix.bounds
    parameters.append(bounds.least)
    parameters.append(bounds.greatest)
    parameters.append(Int64(CallerStore.mostCallers))
  }

  static func decode(_ row: PostgresRow) throws -> FoundCaller { try CallerSQL.decode(row) }
}

/// A listed number.
struct FindCaller: PostgresStatement {
  let number: Int64

  static let sql = "\(CallerSQL.columns) AND l.number = $1"

  func bind(into parameters: inout PostgresParameters) { parameters.append(number) }

  static func decode(_ row: PostgresRow) throws -> FoundCaller { try CallerSQL.decode(row) }
}

/// Those of some numbers that are listed to be blocked, without an appeal, a protection or a decision against it.
struct FindBlockedNumbers: PostgresStatement {
  let numbers: [Int64]

  static let sql = """
    SELECT l.number FROM listings l LEFT JOIN number_decisions r ON r.number = l.number
    WHERE l.number = ANY($1::bigint[]) AND coalesce(r.decision = 'block', l.treatment = 0)
      AND (r.number IS NOT NULL OR l.cause <> 1 OR l.treatment = 0)
      AND NOT EXISTS (SELECT 1 FROM appeals a WHERE a.number = l.number AND a.state <> 'rejected')
      AND NOT EXISTS (SELECT 1 FROM protected_numbers p WHERE p.number = l.number)
      AND NOT EXISTS (
        SELECT 1 FROM protected_patterns p WHERE '+' || l.number::text LIKE translate(p.pattern, 'x*', '_%'))
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(numbers) }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// The numbers to block with the most heat, for lists with a limit.
struct FindHottestCallers: PostgresStatement {
  /// The digits that numbers begin with; empty for all.
  let prefix: String
  /// The least stored evidence without the weight against it; nil for any, and for decisions.
  let evidence: Double?
  let limit: Int

  static let sql = """
    SELECT l.number, coalesce(r.category_id, l.category_id), r.decision IS NOT NULL, l.cause, l.listed_at,
           coalesce(n.evidence, 0), coalesce(n.legitimate, 0)
    FROM listings l
    LEFT JOIN number_decisions r ON r.number = l.number
    LEFT JOIN numbers n ON n.number = l.number
    WHERE coalesce(r.decision = 'block', l.treatment = 0) AND starts_with(l.number::text, $1)
      AND ($2::double precision IS NULL OR n.evidence - n.legitimate >= $2 AND r.number IS NULL AND l.cause = 0)
      AND NOT EXISTS (SELECT 1 FROM protected_numbers p WHERE p.number = l.number)
      AND NOT EXISTS (
        SELECT 1 FROM protected_patterns p WHERE '+' || l.number::text LIKE translate(p.pattern, 'x*', '_%'))
    ORDER BY n.heat DESC NULLS LAST, l.number LIMIT $3::bigint
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(prefix)
    parameters.append(evidence)
    parameters.append(Int64(limit))
  }

  static func decode(_ row: PostgresRow) throws -> ListedCaller { try ListedCaller(short: row) }
}

/// Some listed numbers, for the votes and the category of a list's entries.
struct ReadCallers: PostgresStatement {
  let numbers: [Int64]

  static let sql = """
    SELECT l.number, coalesce(r.category_id, l.category_id), r.decision IS NOT NULL, l.cause, l.listed_at,
           coalesce(n.evidence, 0), coalesce(n.legitimate, 0)
    FROM listings l
    LEFT JOIN number_decisions r ON r.number = l.number
    LEFT JOIN numbers n ON n.number = l.number
    WHERE l.number = ANY($1::bigint[])
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(numbers) }

  static func decode(_ row: PostgresRow) throws -> ListedCaller { try ListedCaller(short: row) }
}

extension ListedCaller {
  /// A number that is to be blocked, without its label and its calls.
  fileprivate init(short row: PostgresRow) throws {
    let isDecided: Bool = try row.decode(2)
    self.init(
      number: try row.decode(0), category: try row.category(1), label: nil,
      cause: isDecided ? .decision : ListedNumber.Cause(rawValue: UInt8(try row.decode(3, as: Int16.self))) ?? .reports,
      mayBlock: true, isAllowed: false, listedAt: try row.decode(4), storedHeat: 0, storedEvidence: try row.decode(5),
      storedLegitimate: try row.decode(6), calls: 0)
  }
}
