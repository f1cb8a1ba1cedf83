-- expand
-- Tokens of installed apps, for Apple's reporting extension, which cannot send a key.
CREATE TABLE installations (
    -- SHA-256 of the token.
    digest     bytea       PRIMARY KEY CHECK (length(digest) = 32),
    app_id     integer     NOT NULL,
    -- The key that created it: reports have this key, and its end by revocation is the end of the token.
    key_id     integer     NOT NULL,
    created_at timestamptz NOT NULL,
    revoked_at timestamptz,
    -- The day of the last report, or of the creation, in days since 1970-01-01.
    last_day   integer     NOT NULL
);
CREATE INDEX installations_of_key ON installations (key_id);
CREATE INDEX installations_by_day ON installations (last_day);
