-- expand, concurrently
-- Search by the last six digits.
CREATE INDEX CONCURRENTLY IF NOT EXISTS queue_by_ending ON queue ((number % 1000000), number);
