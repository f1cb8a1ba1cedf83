-- expand
-- "command line" for changes by commands; null for changes on pages, by the API, and automatic ones.
ALTER TABLE audit_events ADD COLUMN via text;
