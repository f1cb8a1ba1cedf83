-- expand
-- Copies of the sums in numbers as of the last evaluation of a case, to sort cases by them. Without indexes, so that
-- updates of cases stay heap-only.
ALTER TABLE queue
    -- Stored as in numbers.
    ADD COLUMN heat    double precision NOT NULL DEFAULT 0,
    ADD COLUMN reports bigint           NOT NULL DEFAULT 0;
