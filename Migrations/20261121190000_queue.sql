-- What waits for a moderator, who looks at it, what moderators noted, and decisions that were made together.

-- Numbers that wait. causes: bits, see QueueCause. urgency: ascending, see Urgency. level: 0 everybody, 1 moderators,
-- 2 administrators. stale: something has happened since it was judged. version: rises with every change of the causes.
CREATE TABLE queue (
    number        bigint      PRIMARY KEY CHECK (number BETWEEN 1 AND 999999999999999),
    causes        smallint    NOT NULL CHECK (causes BETWEEN 1 AND 63),
    urgency       bigint      NOT NULL CHECK (urgency >= 0),
    country       text        NOT NULL CHECK (country = '' OR country ~ '^[A-Z]{2}$'),
    category_id   smallint,
    since         timestamptz NOT NULL,
    level         smallint    NOT NULL DEFAULT 0 CHECK (level BETWEEN 0 AND 2),
    claim_id      uuid,
    claimed_by    text        CHECK (length(claimed_by) BETWEEN 1 AND 80),
    claimed_until timestamptz,
    stale         boolean     NOT NULL DEFAULT false,
    version       bigint      NOT NULL DEFAULT 1,
    CHECK ((claimed_by IS NULL) = (claimed_until IS NULL) AND (claimed_by IS NULL) = (claim_id IS NULL))
) WITH (fillfactor = 80);

CREATE INDEX queue_by_urgency ON queue (urgency, number);
CREATE INDEX queue_stale ON queue (number) WHERE stale;

-- Who was not sure about a number: it is not shown to them again while it waits.
CREATE TABLE queue_passes (
    number    bigint      NOT NULL,
    account   text        NOT NULL CHECK (length(account) BETWEEN 1 AND 80),
    passed_at timestamptz NOT NULL,
    PRIMARY KEY (number, account)
);

-- What moderators note about a number; never shown to anybody else.
CREATE TABLE number_notes (
    number     bigint      NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    note_id    uuid        NOT NULL,
    account    text        NOT NULL CHECK (length(account) BETWEEN 1 AND 80),
    note       text        NOT NULL CHECK (length(note) BETWEEN 1 AND 2000),
    written_at timestamptz NOT NULL,
    PRIMARY KEY (number, note_id)
);

-- Decisions that were made together. Local to one node.
CREATE TABLE bulks (
    bulk_id   uuid        PRIMARY KEY,
    account   text        NOT NULL CHECK (length(account) BETWEEN 1 AND 80),
    decision    text        NOT NULL CHECK (decision IN ('block', 'identify', 'allow')),
    reason    text        CHECK (length(reason) BETWEEN 1 AND 500),
    numbers   integer     NOT NULL CHECK (numbers BETWEEN 1 AND 1000),
    decided_at  timestamptz NOT NULL,
    undone_at timestamptz,
    undone_by text        CHECK (length(undone_by) BETWEEN 1 AND 80),
    CHECK ((undone_at IS NULL) = (undone_by IS NULL))
);

CREATE TABLE bulk_decisions (
    number    bigint NOT NULL,
    decision_id uuid   NOT NULL,
    bulk_id   uuid   NOT NULL,
    PRIMARY KEY (number, decision_id)
);
CREATE INDEX bulk_decisions_by_bulk ON bulk_decisions (bulk_id);
