-- expand
-- How many numbers of the newest publication are in each class, for the page "Usefulness".
CREATE TABLE listed_classes (
    -- A value of RemediationClass.
    class   text   COLLATE "C" NOT NULL CHECK (class ~ '^[a-z_]{1,32}$'),
    value   text   COLLATE "C" NOT NULL CHECK (length(value) <= 80),
    numbers bigint NOT NULL CHECK (numbers > 0),
    PRIMARY KEY (class, value)
);
