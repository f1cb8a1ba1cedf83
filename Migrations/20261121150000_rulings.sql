-- What moderators and operators decide, what guards against brigades, and what is known of reporters.

-- Every decision there was; none is ever changed. An 'undo' names the decision that it takes back.
CREATE TABLE decisions (
    number      bigint      NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    decision_id   uuid        NOT NULL,
    decision      text        NOT NULL CHECK (decision IN ('block', 'identify', 'allow', 'undo')),
    label       text        CHECK (length(label) BETWEEN 1 AND 100),
    category_id smallint,
    undoes      uuid,
    reason      text        CHECK (length(reason) BETWEEN 1 AND 500),
    note        text        CHECK (length(note) BETWEEN 1 AND 2000),
    moderator   text        NOT NULL CHECK (length(moderator) BETWEEN 1 AND 80),
    decided_at    timestamptz NOT NULL,
    PRIMARY KEY (number, decision_id),
    CHECK ((decision = 'undo') = (undoes IS NOT NULL)),
    CHECK (decision <> 'identify' OR label IS NOT NULL),
    CHECK (decision NOT IN ('block', 'identify') OR reason IS NOT NULL)
);

-- What stands: of each number the newest decision that was not undone.
CREATE TABLE number_decisions (
    number      bigint      PRIMARY KEY,
    decision      text        NOT NULL CHECK (decision IN ('block', 'identify', 'allow')),
    label       text,
    category_id smallint,
    decision_id   uuid        NOT NULL,
    decided_at    timestamptz NOT NULL
);

-- Numbers that are kept back for a moderator. A decision settles a hold; when it is undone the hold is back.
CREATE TABLE holds (
    number  bigint      PRIMARY KEY,
    rule    text        NOT NULL CHECK (rule ~ '^[a-z_]{1,32}$'),
    detail  text        NOT NULL CHECK (length(detail) BETWEEN 1 AND 1000),
    held_at timestamptz NOT NULL,
    settled boolean     NOT NULL DEFAULT false
);

-- Whose reports made the burst that a hold is for.
CREATE TABLE hold_reporters (
    number   bigint NOT NULL,
    reporter bytea  NOT NULL CHECK (length(reporter) = 16),
    PRIMARY KEY (number, reporter)
);

-- What may never be published. Patterns are few, and on every node.
CREATE TABLE protected_patterns (
    pattern  text        PRIMARY KEY CHECK (pattern ~ '^\+[0-9x]{4,15}\*?$'),
    reason   text        NOT NULL CHECK (length(reason) BETWEEN 1 AND 200),
    added_by text        NOT NULL CHECK (length(added_by) BETWEEN 1 AND 80),
    added_at timestamptz NOT NULL
);

CREATE TABLE protected_numbers (
    number   bigint      PRIMARY KEY CHECK (number BETWEEN 1 AND 999999999999999),
    reason   text        NOT NULL CHECK (length(reason) BETWEEN 1 AND 200),
    added_by text        NOT NULL CHECK (length(added_by) BETWEEN 1 AND 80),
    added_at timestamptz NOT NULL
);

-- Rises with every change of the two: servers keep them in memory, and look here whether they are still right.
CREATE TABLE protection_version (
    only_row boolean PRIMARY KEY CHECK (only_row),
    version  bigint  NOT NULL
);
INSERT INTO protection_version VALUES (true, 1);

-- Blocks of 10 or 100 numbers that attack together. number is the first of the block.
CREATE TABLE ranges (
    number      bigint           NOT NULL,
    digits      smallint         NOT NULL CHECK (digits IN (1, 2)),
    state       text             NOT NULL CHECK (state IN ('proposed', 'approved', 'rejected')),
    category_id smallint         NOT NULL,
    members     integer          NOT NULL CHECK (members > 0),
    mass        double precision NOT NULL CHECK (mass >= 0),
    proposed_at timestamptz      NOT NULL,
    decided_at  timestamptz,
    decided_by  text             CHECK (length(decided_by) BETWEEN 1 AND 80),
    reason      text             CHECK (length(reason) BETWEEN 1 AND 500),
    PRIMARY KEY (number, digits),
    CHECK ((state = 'proposed') = (decided_at IS NULL))
);

-- What owners say of their numbers.
CREATE TABLE appeals (
    number      bigint      NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    appeal_id   uuid        NOT NULL,
    state       text        NOT NULL CHECK (state IN ('open', 'upheld', 'rejected')),
    statement   text        NOT NULL CHECK (length(statement) BETWEEN 1 AND 2000),
    filed_at    timestamptz NOT NULL,
    answered_by text        CHECK (length(answered_by) BETWEEN 1 AND 80),
    answered_at timestamptz,
    answer      text        CHECK (length(answer) BETWEEN 1 AND 2000),
    PRIMARY KEY (number, appeal_id),
    CHECK ((state = 'open') = (answered_at IS NULL))
);

-- What is known of reporters that are more than newcomers, as the last recount found it. A table of reference, like
-- reporter_weights, which has what follows from it.
CREATE TABLE reporters (
    reporter          bytea       PRIMARY KEY CHECK (length(reporter) = 16),
    first_received_at timestamptz NOT NULL,
    numbers           integer     NOT NULL CHECK (numbers >= 0),
    judged            integer     NOT NULL CHECK (judged >= 0),
    agreed            integer     NOT NULL CHECK (agreed BETWEEN 0 AND judged),
    brigades          integer     NOT NULL CHECK (brigades >= 0),
    is_established    boolean     NOT NULL,
    recounted_at      timestamptz NOT NULL
);

-- The lookup by hash: the first four bytes of the SHA-256 of the number with its plus.
CREATE INDEX listings_by_hash ON listings (substr(sha256(('+' || number::text)::bytea), 1, 4));
