-- What operators have had forgotten.

-- Reports that were made before this moment may be gone, whole months at a time; what they added up to stays. There is
-- no row before the first month went. Numbers that are known since before cannot be recounted from their reports.
CREATE TABLE report_retention (
    only_row       boolean     PRIMARY KEY CHECK (only_row),
    dropped_before timestamptz NOT NULL
);
