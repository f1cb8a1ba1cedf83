// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
package import PostgreSQL

/// A decision that a program proposes for a case and a person makes.
public struct CaseProposal: Sendable, Equatable {
  /// Chosen by the program; the same for every retry.
  public var id: UUID
  /// The service account.
  public var account: String
  public var values: DecisionValues
  public var proposedAt: Date
}

extension SQL {
  /// Stores the proposal of an account for a case in place of its former one; returns a row where there is a case.
  package static func addProposal(_ proposal: Decision) -> Statement<Int64> {
    Statement(
      """
      INSERT INTO case_proposals AS p
        (number, account, proposal_id, decision, label, category_id, reason, note, expires_at, proposed_at)
      SELECT q.number, $2, $3, $4, $5, $6, $7, $8, $9::timestamptz, $10::timestamptz FROM queue q WHERE q.number = $1
      ON CONFLICT (number, account) DO UPDATE SET
        proposal_id = excluded.proposal_id, decision = excluded.decision, label = excluded.label,
        category_id = excluded.category_id, reason = excluded.reason, note = excluded.note,
        expires_at = excluded.expires_at, proposed_at = excluded.proposed_at
      RETURNING number
      """,
      proposal.number, proposal.decidedBy, proposal.id, proposal.treatment.rawValue, proposal.label,
      proposal.category?.rawValue, proposal.reason, proposal.note, proposal.expiresAt, proposal.decidedAt)
  }

  /// The proposals for a number's case, by account.
  package static func readProposals(number: Int64) -> Statement<CaseProposal> {
    Statement(
      """
      SELECT proposal_id, account, decision, label, category_id, reason, note, expires_at, proposed_at FROM case_proposals
      WHERE number = $1 ORDER BY account
      """,
      number
    ) { row in
      let name: String = try row.decode(2)
      guard let treatment = Decision.Treatment(rawValue: name) else { throw StorageError.unknownTreatment(name) }
      return CaseProposal(
        id: try row.decode(0), account: try row.decode(1),
        values: DecisionValues(
          treatment: treatment, label: try row.decode(3), category: try row.optionalCategory(4),
          reason: try row.decode(5), note: try row.decode(6), expiresAt: try row.decode(7)),
        proposedAt: try row.decode(8))
    }
  }
}
