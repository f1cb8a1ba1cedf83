-- expand
-- Lists alone label numbers that belong to no place, such as toll-free ones, unless their rule says otherwise.
ALTER TABLE source_rules ADD COLUMN blocks_shared boolean NOT NULL DEFAULT false;
