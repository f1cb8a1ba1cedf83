-- expand
-- The generation whose words have an index; NULL where none has.
ALTER TABLE directory_sources ADD COLUMN searchable integer;
