// SPDX-License-Identifier: Apache-2.0

/// The placement of a table's rows in a Citus cluster.
public enum TablePlacement: Sendable, Equatable {
  /// Split by number; all such tables are co-located, so that all rows of a number are on one node.
  case distributed
  /// A complete copy on every node: small, read with the distributed tables, rarely changed.
  case reference
  /// On the coordinator only: outboxes, jobs, sessions. Distributed tables do not join them.
  case local

  /// All tables. A test compares them with the catalog of the database.
  public static let all: [String: TablePlacement] = [
    "account_key": .local,
    "accounts": .local,
    "app_keys": .reference,
    "appeal_contacts": .distributed,
    "appeal_filings": .distributed,
    "appeals": .distributed,
    "apps": .reference,
    "audit_events": .local,
    "background_jobs": .local,
    "bulk_decisions": .distributed,
    "bulks": .local,
    "categories": .reference,
    "daily_statistics": .local,
    "decisions": .distributed,
    "directory_entries": .distributed,
    "directory_sources": .reference,
    "hold_reporters": .distributed,
    "holds": .distributed,
    "identification_batches": .local,
    "identification_days": .distributed,
    "job_leases": .local,
    "key_withdrawals": .reference,
    "known_browsers": .local,
    "listings": .distributed,
    "number_categories": .distributed,
    "number_decisions": .distributed,
    "number_identifications": .distributed,
    "number_notes": .distributed,
    "number_reporters": .distributed,
    "number_sources": .distributed,
    "numbers": .distributed,
    "protected_numbers": .distributed,
    "protected_patterns": .reference,
    "protection_version": .reference,
    "publication_gates": .local,
    "publication_packs": .local,
    "publications": .local,
    "queue": .distributed,
    "queue_passes": .distributed,
    "ranges": .distributed,
    "recovery_codes": .local,
    "region_prefixes": .reference,
    "regions": .reference,
    "report_retention": .reference,
    "reporter_weights": .reference,
    "reporters": .reference,
    "reports": .distributed,
    "revocations": .local,
    "saved_filters": .local,
    "schema_migrations": .local,
    "sessions": .local,
    "sign_in_attempts": .local,
    "sign_in_links": .local,
    "sign_in_steps": .local,
    "source_rules": .reference,
    "statistics_watermarks": .local,
    "threshold_rules": .reference,
    "threshold_versions": .reference,
    "used_form_stamps": .local,
    "usual_bursts": .distributed,
    "webhook_deliveries": .local,
    "webhook_receivers": .local,
  ]
}
