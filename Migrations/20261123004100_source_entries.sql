-- expand
-- The numbers on the lists of sources. Each has one report, which is replaced while the list contains the number, and
-- withdrawn when it does not.
CREATE TABLE source_entries (
    app_id      integer     NOT NULL,
    number      bigint      NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    category_id smallint    NOT NULL,
    -- The time of the report: the start of a day in UTC.
    reported_at timestamptz NOT NULL,
    PRIMARY KEY (app_id, number)
);
