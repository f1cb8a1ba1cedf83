-- expand, concurrently
-- Lookups by SHA-1, as the clients of PhoneBlock ask.
CREATE INDEX CONCURRENTLY IF NOT EXISTS listings_by_sha1 ON listings (sha1);
