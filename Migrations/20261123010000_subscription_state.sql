-- expand
-- Subscriptions to publications of other servers: a shorter interval, and the state with which a publication is verified.
ALTER TABLE source_feeds
    DROP CONSTRAINT source_feeds_every_seconds_check,
    ADD CONSTRAINT source_feeds_every_seconds_check CHECK (every_seconds BETWEEN 30 AND 2678400) NOT VALID,
    -- The id of the server that publishes the list: 16 hex digits.
    ADD COLUMN server_id text,
    -- The newest publication that was accepted, by its serial and the SHA-256 of its signed part, and the newest root. No
    -- serial ever falls.
    ADD COLUMN seen_serial bigint,
    ADD COLUMN seen_sha256 text,
    ADD COLUMN root_serial bigint,
    ADD COLUMN root bytea,
    -- The SHA-256 of the file that the entries are from; NULL where it must be read again. The generation rises whenever
    -- something makes that necessary, also while the file is being read.
    ADD COLUMN list_sha256 text,
    ADD COLUMN generation integer NOT NULL DEFAULT 0,
    -- When the publication of the entity tag expires.
    ADD COLUMN expires_at timestamptz;
