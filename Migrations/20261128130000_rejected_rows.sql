-- expand
-- The rejected rows of the last file of a source: counts by reason and five examples, the JSON of RejectedRows. NULL before the
-- first file is read.
ALTER TABLE source_feeds ADD COLUMN rejected_rows jsonb;
