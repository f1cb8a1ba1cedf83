-- Withdrawals, networks, and identifications.

-- network: keyed hash of the sender's network, purged after 30 days. comment_purged_at: there was a comment once, so that
-- a retry is still known for the same report.
ALTER TABLE reports
    ADD COLUMN network           bytea CHECK (length(network) = 8),
    ADD COLUMN withdrawn_at      timestamptz,
    ADD COLUMN comment_purged_at timestamptz;

-- Finds a report by the name its app gave it: to withdraw it, and to refuse the same name for another content.
-- Not unique, since a unique index must have the number.
CREATE INDEX reports_by_id ON reports (app_id, report_id);

-- What the purge looks for; a row leaves its index when it is purged.
CREATE INDEX reports_with_network ON reports (received_at) WHERE network IS NOT NULL;
CREATE INDEX reports_with_comment ON reports (received_at) WHERE comment IS NOT NULL;

-- Of two words said at the same time the one that arrived later stands. With it a recount from the reports finds the
-- same word, in whatever order they were taken.
ALTER TABLE number_reporters ADD COLUMN received_at timestamptz;
UPDATE number_reporters w SET received_at = coalesce(
    (SELECT max(r.received_at) FROM reports r
     WHERE r.number = w.number AND r.reporter = w.reporter AND r.reported_at = w.reported_at
       AND r.category_id = w.category_id),
    w.reported_at);
ALTER TABLE number_reporters ALTER COLUMN received_at SET NOT NULL;

-- Batches of identifications that were counted: a retry is known by its id. Local to one node; purged when no day in a
-- batch can be named any more.
CREATE TABLE identification_batches (
    app_id       integer     NOT NULL,
    batch_id     uuid        NOT NULL,
    content_hash bytea       NOT NULL CHECK (length(content_hash) = 32),
    received_at  timestamptz NOT NULL,
    PRIMARY KEY (app_id, batch_id)
);
CREATE INDEX identification_batches_by_age ON identification_batches (received_at);

-- Calls that phones could name, and calls they could not, by number and day. Counters only.
CREATE TABLE number_days (
    number  bigint NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    day     date   NOT NULL,
    named   bigint NOT NULL CHECK (named >= 0),
    unknown bigint NOT NULL CHECK (unknown >= 0),
    PRIMARY KEY (number, day)
) WITH (fillfactor = 85);

-- What the days add up to. heat is a mass as in numbers: each call weighs 1 at noon UTC of its day.
CREATE TABLE number_identifications (
    number   bigint           PRIMARY KEY,
    heat     double precision NOT NULL,
    named    bigint           NOT NULL,
    unknown  bigint           NOT NULL,
    last_day date             NOT NULL
) WITH (fillfactor = 85);
