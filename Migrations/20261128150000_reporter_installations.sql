-- expand
-- The installations whose tokens came with reports that name a reporter: with a token the installation is the reporter, and
-- the app reads, erases and restricts a person's reports by its own name. Both are pseudonyms.
CREATE TABLE reporter_installations (
    reporter     bytea       NOT NULL CHECK (length(reporter) = 16),
    installation bytea       NOT NULL CHECK (length(installation) = 16),
    linked_at    timestamptz NOT NULL,
    PRIMARY KEY (reporter, installation)
);
CREATE INDEX reporter_installations_by_installation ON reporter_installations (installation);
