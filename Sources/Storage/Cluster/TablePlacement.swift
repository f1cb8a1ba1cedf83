/// Where a table's rows lie in a cluster of Citus.
public enum TablePlacement: Sendable, Equatable {
  /// Split by number; all such tables are co-located, so that whatever is known of a number lies on one node.
  case distributed
  /// Whole on every node: small, read with the distributed ones, seldom changed.
  case reference
  /// On the coordinator alone: outboxes, jobs, sessions. Nothing distributed joins them.
  case local

  /// Every table there is. A test holds it against the catalogue.
  public static let all: [String: TablePlacement] = [
    "appeals": .distributed,
    "apps": .reference,
    "categories": .reference,
    "directory_entries": .distributed,
    "directory_sources": .reference,
    "hold_reporters": .distributed,
    "holds": .distributed,
    "identification_batches": .local,
    "job_leases": .local,
    "listings": .distributed,
    "moderators": .local,
    "number_categories": .distributed,
    "number_days": .distributed,
    "number_identifications": .distributed,
    "number_reporters": .distributed,
    "number_rulings": .distributed,
    "number_sources": .distributed,
    "numbers": .distributed,
    "protected_numbers": .distributed,
    "protected_patterns": .reference,
    "protection_version": .reference,
    "publication_gates": .local,
    "publication_packs": .local,
    "publications": .local,
    "ranges": .distributed,
    "region_prefixes": .reference,
    "regions": .reference,
    "report_retention": .reference,
    "reporter_weights": .reference,
    "reporters": .reference,
    "reports": .distributed,
    "revocations": .local,
    "rulings": .distributed,
    "schema_migrations": .local,
    "sessions": .local,
    "sign_in_links": .local,
    "sources": .reference,
    "threshold_rules": .reference,
    "threshold_versions": .reference,
    "webhook_deliveries": .local,
  ]
}
