-- expand
-- Counts of calls that matched a list and that were counted already: keyed hashes of an installation and a day, which differ
-- from day to day, and ids of counts of the server itself. They are kept as long as counts of the day are accepted.
CREATE TABLE remediation_marks (
    -- Days since 1970-01-01.
    day  integer NOT NULL,
    mark bytea   NOT NULL CHECK (length(mark) = 16),
    PRIMARY KEY (day, mark)
);
