-- expand
-- Second reviews of decisions, and golden cases.

-- Decisions that another moderator reviews. A review is open to moderators only while its decision is in force.
CREATE TABLE decision_reviews (
    number      bigint      NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    decision_id uuid        NOT NULL,
    -- 'reach': the decision affects many reporters, or a held, listed or appealed number. The weights of reporters
    -- ignore such a decision to allow until it is confirmed. 'sample': the decision is in the random sample.
    cause       text        NOT NULL CHECK (cause IN ('reach', 'sample')),
    -- The account that decided, and its treatment.
    decided_by  text        NOT NULL CHECK (length(decided_by) BETWEEN 1 AND 80),
    decision    text        NOT NULL CHECK (decision IN ('block', 'identify', 'allow')),
    -- The decision's category, or else the hottest category of the number at that time.
    category_id smallint,
    -- 'confirmed' by a second person; 'disputed' by a second person, and to be settled by a third one; 'overruled' by a
    -- third person.
    state       text        NOT NULL CHECK (state IN ('open', 'confirmed', 'disputed', 'overruled')),
    opened_at   timestamptz NOT NULL,
    settled_by  text        CHECK (length(settled_by) BETWEEN 1 AND 80),
    settled_at  timestamptz,
    PRIMARY KEY (number, decision_id),
    CHECK ((settled_by IS NULL) = (settled_at IS NULL))
);
CREATE INDEX decision_reviews_open ON decision_reviews (opened_at, number) WHERE state IN ('open', 'disputed');

-- The treatments that reviewers recorded without knowing the decision.
CREATE TABLE review_opinions (
    number      bigint      NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    decision_id uuid        NOT NULL,
    account     text        NOT NULL CHECK (length(account) BETWEEN 1 AND 80),
    decision    text        NOT NULL CHECK (decision IN ('block', 'identify', 'allow')),
    note        text        CHECK (length(note) BETWEEN 1 AND 2000),
    -- Whether the reviewer answered a golden case; such an opinion changes no decision.
    is_golden   boolean     NOT NULL,
    reviewed_at timestamptz NOT NULL,
    PRIMARY KEY (number, decision_id, account)
);
CREATE INDEX review_opinions_by_account ON review_opinions (account);

-- Decisions whose treatment is certain, to measure reviewers.
CREATE TABLE golden_cases (
    number      bigint      NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    decision_id uuid        NOT NULL,
    decided_by  text        NOT NULL CHECK (length(decided_by) BETWEEN 1 AND 80),
    decision    text        NOT NULL CHECK (decision IN ('block', 'identify', 'allow')),
    category_id smallint,
    marked_by   text        NOT NULL CHECK (length(marked_by) BETWEEN 1 AND 80),
    marked_at   timestamptz NOT NULL,
    PRIMARY KEY (number, decision_id)
);
