-- expand
-- Sources that are downloaded at intervals, and the outcome of the last download.
CREATE TABLE source_feeds (
    -- The list's row in apps.
    app_id        integer     PRIMARY KEY,
    name          text        NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 80),
    url           text        NOT NULL CHECK (length(url) BETWEEN 1 AND 2000),
    -- A value of FeedFormat.
    format        text        NOT NULL CHECK (format ~ '^[a-z-]{1,32}$'),
    every_seconds integer     NOT NULL CHECK (every_seconds BETWEEN 300 AND 2678400),
    -- How entries are read: JSON, see FeedOptions.
    options       text        NOT NULL CHECK (octet_length(options) <= 65536),
    -- The most treatment that the source can cause alone.
    ceiling       text        NOT NULL CHECK (ceiling IN ('nothing', 'review', 'identify', 'block')),
    license       text        CHECK (length(license) BETWEEN 1 AND 200),
    added_at      timestamptz NOT NULL,
    -- Of a removed source only the ceiling is used: its complaints stay.
    removed_at    timestamptz,
    next_at       timestamptz NOT NULL,
    -- Of the last file that was read.
    etag          text        CHECK (length(etag) <= 1000),
    last_modified text        CHECK (length(last_modified) <= 100),
    -- The version of a list that also sends its changes, and when the complete list was read last.
    list_version  bigint,
    complete_at   timestamptz,
    refreshed_at  timestamptz,
    entries       bigint      NOT NULL DEFAULT 0,
    -- Failed attempts since the last success, and the reason of the last one: a code with values.
    failures      integer     NOT NULL DEFAULT 0 CHECK (failures >= 0),
    failed_at     timestamptz,
    error         jsonb       CHECK (error ? 'code' AND octet_length(error::text) <= 8192)
);
CREATE INDEX source_feeds_next ON source_feeds (next_at) WHERE removed_at IS NULL;
