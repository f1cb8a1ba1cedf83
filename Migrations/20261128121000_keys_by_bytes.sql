-- expand
-- Keys of text are compared by their bytes, like the keys of the audit log (20261128120000). All these tables are small.
SET LOCAL citus.multi_shard_modify_mode = 'sequential';

ALTER TABLE account_identities
  ALTER COLUMN issuer TYPE text COLLATE "C",
  ALTER COLUMN subject TYPE text COLLATE "C";

ALTER TABLE accounts
  ALTER COLUMN name TYPE text COLLATE "C";

ALTER TABLE apps
  ALTER COLUMN name TYPE text COLLATE "C";

ALTER TABLE background_jobs
  ALTER COLUMN account TYPE text COLLATE "C",
  ALTER COLUMN kind TYPE text COLLATE "C";

ALTER TABLE case_proposals
  ALTER COLUMN account TYPE text COLLATE "C";

ALTER TABLE categories
  ALTER COLUMN slug TYPE text COLLATE "C";

ALTER TABLE daily_statistics
  ALTER COLUMN statistic TYPE text COLLATE "C";

ALTER TABLE deletions
  ALTER COLUMN kind TYPE text COLLATE "C";

ALTER TABLE directory_sources
  ALTER COLUMN name TYPE text COLLATE "C";

ALTER TABLE job_leases
  ALTER COLUMN job TYPE text COLLATE "C";

ALTER TABLE protected_patterns
  ALTER COLUMN pattern TYPE text COLLATE "C";

ALTER TABLE publication_gates
  ALTER COLUMN gate TYPE text COLLATE "C",
  ALTER COLUMN pack TYPE text COLLATE "C";

ALTER TABLE publication_packs
  ALTER COLUMN name TYPE text COLLATE "C";

ALTER TABLE queue_passes
  ALTER COLUMN account TYPE text COLLATE "C";

ALTER TABLE ranges
  ALTER COLUMN pattern TYPE text COLLATE "C";

ALTER TABLE regions
  ALTER COLUMN code TYPE text COLLATE "C";

ALTER TABLE review_opinions
  ALTER COLUMN account TYPE text COLLATE "C";

ALTER TABLE saved_filters
  ALTER COLUMN account TYPE text COLLATE "C",
  ALTER COLUMN name TYPE text COLLATE "C";

ALTER TABLE source_feeds
  ALTER COLUMN name TYPE text COLLATE "C";

ALTER TABLE statistics_watermarks
  ALTER COLUMN statistic TYPE text COLLATE "C";

ALTER TABLE templates
  ALTER COLUMN kind TYPE text COLLATE "C",
  ALTER COLUMN language TYPE text COLLATE "C";

ALTER TABLE threshold_rules
  ALTER COLUMN country TYPE text COLLATE "C";

ALTER TABLE webhook_receivers
  ALTER COLUMN url TYPE text COLLATE "C";
