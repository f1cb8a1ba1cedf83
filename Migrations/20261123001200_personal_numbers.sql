-- expand

-- Numbers that a user of an app blocks or allows alone, through the API of PhoneBlock. They change no score.
CREATE TABLE personal_numbers (
    -- Pseudonym of the app's user, as in reports.
    reporter   bytea       NOT NULL CHECK (length(reporter) = 16),
    number     bigint      NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    -- Whether the entry is for all numbers that begin with these digits.
    is_prefix  boolean     NOT NULL,
    -- Blocked, or allowed.
    is_blocked boolean     NOT NULL,
    -- The API key that the entry arrived with.
    key_id     integer     NOT NULL,
    added_at   timestamptz NOT NULL,
    PRIMARY KEY (reporter, number, is_prefix)
);
CREATE INDEX personal_numbers_by_key ON personal_numbers (key_id);
