-- expand, concurrently
-- Decisions in force that have expired.
CREATE INDEX CONCURRENTLY IF NOT EXISTS number_decisions_by_expiry ON number_decisions (expires_at, number)
    WHERE expires_at IS NOT NULL;
