-- expand, concurrently
CREATE INDEX CONCURRENTLY IF NOT EXISTS queue_by_age ON queue (since, number);
