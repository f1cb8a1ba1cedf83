-- expand
-- Keys of text are compared by their bytes, so that no upgrade of the operating system can change their order and break an
-- index or a rule of uniqueness (record 0097). The audit log can be large, so it has a file of its own: its indexes are
-- built again.
SET LOCAL citus.multi_shard_modify_mode = 'sequential';

ALTER TABLE audit_events
  ALTER COLUMN action TYPE text COLLATE "C",
  ALTER COLUMN actor TYPE text COLLATE "C",
  ALTER COLUMN subject TYPE text COLLATE "C";
