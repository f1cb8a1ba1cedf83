-- expand
-- SHA-256 of the file that a refresh has begun to store and has not finished: after an interruption it is read again, and no
-- limit of changes refuses its rest.
ALTER TABLE source_feeds ADD COLUMN changing_sha256 text;
