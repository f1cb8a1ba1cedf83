-- expand, concurrently
CREATE INDEX CONCURRENTLY IF NOT EXISTS numbers_with_failed_calls ON numbers (number) WHERE has_failed_calls;
