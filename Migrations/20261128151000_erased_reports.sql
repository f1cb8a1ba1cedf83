-- expand
-- The ids of erased reports, so that an app's retry does not store one again: SHA-256 of the app's id (4 bytes) and the
-- report's id (16 bytes). Deleted when the age of a report refuses its retry.
CREATE TABLE erased_reports (
    digest    bytea       PRIMARY KEY CHECK (length(digest) = 32),
    erased_at timestamptz NOT NULL
);
CREATE INDEX erased_reports_by_age ON erased_reports (erased_at);
