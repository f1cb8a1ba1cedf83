-- Who names numbers, what they name them, and regions by prefixes.

-- A source of names, such as a business directory. generation is the one whose entries count; NULL before the first
-- import has ended. Of two sources that name a number the one with the lower priority wins.
CREATE TABLE directory_sources (
    source_id   integer     GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name        text        NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 80),
    priority    integer     NOT NULL,
    generation  integer,
    entries     bigint      NOT NULL DEFAULT 0 CHECK (entries >= 0),
    imported_at timestamptz
);

-- Each import fills a table of its own and attaches it in the transaction that makes its generation count. So a new file
-- replaces the old one in one step, and to take the old one away is to drop a table.
CREATE SEQUENCE directory_generations AS integer;

CREATE TABLE directory_entries (
    number     bigint  NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    generation integer NOT NULL,
    mentions   integer NOT NULL CHECK (mentions > 0),
    name       text    NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 1000),
    category   text    CHECK (octet_length(category) BETWEEN 1 AND 200),
    PRIMARY KEY (number, generation)
) PARTITION BY LIST (generation);

-- Regions of an installation's own, by prefixes of E.164 digits; the longest counts. The countries need no rows.
CREATE TABLE regions (
    code text PRIMARY KEY CHECK (code ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,22}$'),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200)
);

CREATE TABLE region_prefixes (
    prefix bigint PRIMARY KEY CHECK (prefix BETWEEN 1 AND 999999999999999),
    region text   NOT NULL REFERENCES regions
);
