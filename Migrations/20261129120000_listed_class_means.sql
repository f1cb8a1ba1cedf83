-- expand
-- The mean count of numbers of a class in the last four weeks, for the rank "useful": calls of four weeks are divided by it. A
-- class that has left the packs keeps it for some time.
CREATE TABLE listed_class_means (
    -- A value of RemediationClass.
    class      text             COLLATE "C" NOT NULL CHECK (class ~ '^[a-z_]{1,32}$'),
    value      text             COLLATE "C" NOT NULL CHECK (length(value) <= 80),
    mean       double precision NOT NULL CHECK (mean >= 0),
    counted_at timestamptz      NOT NULL,
    PRIMARY KEY (class, value)
);
