-- expand
-- Numbering plans that servers read in place of older built-in ones: at most one row.
CREATE TABLE numbering_plans (
    id        smallint    PRIMARY KEY CHECK (id = 1),
    -- Of the data, such as 9.0.43.
    version   text        NOT NULL CHECK (version ~ '^[0-9.]{1,40}$'),
    content   bytea       NOT NULL CHECK (octet_length(content) BETWEEN 1 AND 4194304),
    stored_at timestamptz NOT NULL
);
