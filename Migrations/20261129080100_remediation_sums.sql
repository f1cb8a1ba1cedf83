-- expand
-- Calls that matched a list, by day, and by one class at a time: no row says which classes a call had together.
CREATE TABLE remediation_sums (
    -- Days since 1970-01-01.
    day           integer NOT NULL,
    -- A value of RemediationSender.
    sender        text    COLLATE "C" NOT NULL CHECK (sender ~ '^[a-z_]{1,32}$'),
    -- A value of RemediationClass; empty for the sum of the day.
    class         text    COLLATE "C" NOT NULL CHECK (class ~ '^[a-z_]{0,32}$'),
    value         text    COLLATE "C" NOT NULL CHECK (length(value) <= 80),
    installations bigint  NOT NULL CHECK (installations >= 0),
    matched       bigint  NOT NULL CHECK (matched >= 0),
    blocked       bigint  NOT NULL CHECK (blocked >= 0),
    labeled       bigint  NOT NULL CHECK (labeled >= 0),
    overridden    bigint  NOT NULL CHECK (overridden >= 0),
    PRIMARY KEY (day, sender, class, value)
);
