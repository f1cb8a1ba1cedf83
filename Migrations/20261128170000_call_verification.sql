-- expand
-- The network's verification of the number that the caller showed, as a code of ReportedVerification; NULL where the app did not
-- say. With 2 (failed, from a trusted sender) the weight is 0.
ALTER TABLE reports ADD COLUMN verification smallint;
-- The verified calls of a number, of trusted senders.
CREATE INDEX reports_verified ON reports (number, verification, reporter)
    WHERE verification IN (1, 2) AND withdrawn_at IS NULL;
-- The action of telephone systems with the app's keys for calls that failed verification, as a value of FailedCalls.
ALTER TABLE apps ADD COLUMN failed_calls text NOT NULL DEFAULT 'nothing'
    CHECK (failed_calls IN ('nothing', 'label', 'reject'));
