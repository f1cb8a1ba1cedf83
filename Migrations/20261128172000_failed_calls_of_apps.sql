-- expand
-- The action of telephone systems with the app's keys for calls that failed verification, as a value of FailedCalls.
ALTER TABLE apps ADD COLUMN failed_calls text NOT NULL DEFAULT 'nothing';
