-- One row a publication that became visible. Local to one node: no key of a number in it.
CREATE TABLE publications (
    serial          bigint      PRIMARY KEY CHECK (serial > 0),
    published_at    timestamptz NOT NULL,
    as_of           timestamptz NOT NULL,
    manifest_sha256 bytea       NOT NULL CHECK (length(manifest_sha256) = 32)
);

CREATE TABLE moderators (
    moderator_id integer     GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name         text        NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 80),
    created_at   timestamptz NOT NULL
);

-- Links made on the command line; each opens one session, once. Only hashes of secrets are stored.
CREATE TABLE sign_in_links (
    token_hash   bytea       PRIMARY KEY CHECK (length(token_hash) = 32),
    moderator_id integer     NOT NULL REFERENCES moderators,
    expires_at   timestamptz NOT NULL
);

CREATE TABLE sessions (
    token_hash   bytea       PRIMARY KEY CHECK (length(token_hash) = 32),
    moderator_id integer     NOT NULL REFERENCES moderators,
    expires_at   timestamptz NOT NULL
);
