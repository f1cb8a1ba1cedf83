-- expand
-- The ids of the servers with evidence of their own about the number; empty for entries of other formats.
ALTER TABLE source_entries ADD COLUMN origins text[] NOT NULL DEFAULT '{}';
