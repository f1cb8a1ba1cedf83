-- Appeals from a page: tickets, contacts, stamps; what search and the pages beside the queue look through; daily figures.

-- What each person who appealed was given and said. Several about one number share its open appeal. Only the hash of a
-- ticket is stored.
CREATE TABLE appeal_filings (
    number      bigint      NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    ticket_hash bytea       NOT NULL CHECK (length(ticket_hash) = 32),
    appeal_id   uuid        NOT NULL,
    statement   text        NOT NULL CHECK (length(statement) BETWEEN 1 AND 2000),
    filed_at    timestamptz NOT NULL,
    PRIMARY KEY (number, ticket_hash)
);
-- Finds a ticket without its number. Not unique, since a unique index must have the number; 160 random bits do not meet.
CREATE INDEX appeal_filings_by_ticket ON appeal_filings (ticket_hash);

-- How a person may be reached, apart from what was said. purge_at: 30 days after the answer.
CREATE TABLE appeal_contacts (
    number      bigint      NOT NULL,
    ticket_hash bytea       NOT NULL CHECK (length(ticket_hash) = 32),
    appeal_id   uuid        NOT NULL,
    contact     text        NOT NULL CHECK (length(contact) BETWEEN 1 AND 200),
    purge_at    timestamptz,
    PRIMARY KEY (number, ticket_hash)
);
CREATE INDEX appeal_contacts_due ON appeal_contacts (purge_at) WHERE purge_at IS NOT NULL;

-- The list of appeals: open ones oldest first, answered ones newest first.
CREATE INDEX appeals_open ON appeals (filed_at, number, appeal_id) WHERE state = 'open';
CREATE INDEX appeals_answered ON appeals (answered_at, number, appeal_id) WHERE state <> 'open';

-- Forms that were used. Local to one node; a row is of no use when its form has expired.
CREATE TABLE spent_stamps (
    stamp      bytea       PRIMARY KEY CHECK (length(stamp) = 16),
    expires_at timestamptz NOT NULL
);
CREATE INDEX spent_stamps_by_age ON spent_stamps (expires_at);

-- Search by the last six digits, among what is listed and what is decided.
CREATE INDEX listings_by_ending ON listings ((number % 1000000), number);
CREATE INDEX number_decisions_by_ending ON number_decisions ((number % 1000000), number);
-- Search by the beginning of a moderator's label.
CREATE INDEX number_decisions_by_label ON number_decisions (lower(label) text_pattern_ops, number) WHERE label IS NOT NULL;

-- The list of reporters: those who took part in a burst, and those whom decisions have judged.
CREATE INDEX reporters_caught ON reporters (brigades DESC, reporter) WHERE brigades > 0;
CREATE INDEX reporters_judged ON reporters (judged DESC, reporter) WHERE judged > 0;

-- What the front page draws: a value a day, brought up to date every few minutes. Local to one node.
CREATE TABLE daily_statistics (
    day    date   NOT NULL,
    figure text   NOT NULL CHECK (figure ~ '^[a-z_]{1,32}$'),
    value  bigint NOT NULL,
    PRIMARY KEY (day, figure)
);
-- Up to which time of arrival reports are in the figures; nothing was counted before the first row.
CREATE TABLE statistics_marks (
    figure        text        PRIMARY KEY,
    counted_until timestamptz NOT NULL
);
-- Reports arrive in the order of their pages: a block range index finds those of the last minutes at next to no cost.
CREATE INDEX reports_by_arrival ON reports USING brin (received_at);
CREATE INDEX decisions_by_time ON decisions (decided_at);
