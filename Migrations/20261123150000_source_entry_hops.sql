-- expand

-- How many servers have passed the evidence on, the publisher of the file included; 0 for its own evidence and for lists of
-- other formats.
ALTER TABLE source_entries ADD COLUMN hops smallint NOT NULL DEFAULT 0;
