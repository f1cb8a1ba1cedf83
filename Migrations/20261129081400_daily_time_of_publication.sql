-- expand
-- The daily time of a publication that an administrator has set on a page, in place of the setting publish-at. At most one row.
CREATE TABLE publication_schedule (
    only_row    boolean     PRIMARY KEY DEFAULT true CHECK (only_row),
    time_of_day text        NOT NULL CHECK (time_of_day ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
    time_zone   text        NOT NULL CHECK (length(time_zone) BETWEEN 1 AND 80),
    set_by      text        NOT NULL CHECK (length(set_by) BETWEEN 1 AND 80),
    set_at      timestamptz NOT NULL
);
