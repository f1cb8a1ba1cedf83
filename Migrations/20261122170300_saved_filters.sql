-- expand
-- Saved filters of the queue, with their order.
CREATE TABLE saved_filters (
    filter_id   uuid        PRIMARY KEY,
    account     text        NOT NULL CHECK (length(account) BETWEEN 1 AND 80),
    name        text        NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
    -- NULL for any; empty for numbers without a country.
    country     text        CHECK (country = '' OR country ~ '^[A-Z]{2}$'),
    category_id smallint,
    -- The bit of one QueueCause.
    cause       smallint    CHECK (cause BETWEEN 1 AND 32),
    days        integer     CHECK (days > 0),
    -- A value of QueueOrder.
    sort        text        NOT NULL CHECK (sort ~ '^[a-z]{1,32}$'),
    -- Whether all accounts see it.
    is_shared   boolean     NOT NULL,
    saved_at    timestamptz NOT NULL,
    UNIQUE (account, name)
);
CREATE INDEX saved_filters_shared ON saved_filters (name) WHERE is_shared;
