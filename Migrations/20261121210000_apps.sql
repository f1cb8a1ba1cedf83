-- Keys of apps in rows of their own: several at once, with scopes, an end, and a last use. Only hashes are stored.
-- hint: how a key begins, so that people can tell which one it is. scopes: bits, 1 report, 2 identify, 4 lookup, 8 fetch.
-- is_first: reports from before keys were told apart are this key's.
CREATE TABLE app_keys (
    key_id       integer     GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    app_id       integer     NOT NULL REFERENCES apps,
    key_hash     bytea       NOT NULL UNIQUE CHECK (length(key_hash) = 32),
    hint         text        NOT NULL CHECK (length(hint) <= 16),
    scopes       smallint    NOT NULL CHECK (scopes BETWEEN 1 AND 15),
    is_first     boolean     NOT NULL DEFAULT false,
    created_at   timestamptz NOT NULL,
    created_by   text        NOT NULL CHECK (length(created_by) BETWEEN 1 AND 80),
    expires_at   timestamptz,
    revoked_at   timestamptz,
    last_used_at timestamptz
);
CREATE INDEX app_keys_of_app ON app_keys (app_id);

INSERT INTO app_keys (app_id, key_hash, hint, scopes, is_first, created_at, created_by, revoked_at)
SELECT app_id, key_hash, 'rf_…', 15, true, created_at, 'before keys had rows', revoked_at
FROM apps WHERE key_hash IS NOT NULL;

-- An imported list is an app that no key belongs to.
ALTER TABLE apps ADD COLUMN is_list boolean NOT NULL DEFAULT false;
UPDATE apps SET is_list = true WHERE key_hash IS NULL;
ALTER TABLE apps DROP COLUMN key_hash, DROP COLUMN revoked_at;

-- By which key a report came. It has no index: a leaked key's reports are found through reports_by_id, page by page.
ALTER TABLE reports ADD COLUMN key_id integer;

-- Work on taking a key's reports back, and how far it is: all reports of the app with a lesser id are done.
CREATE TABLE key_withdrawals (
    withdrawal_id bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key_id        integer     NOT NULL REFERENCES app_keys,
    since         timestamptz NOT NULL,
    until         timestamptz NOT NULL,
    reason        text        NOT NULL CHECK (length(reason) BETWEEN 1 AND 1000),
    asked_by      text        NOT NULL CHECK (length(asked_by) BETWEEN 1 AND 80),
    asked_at      timestamptz NOT NULL,
    position      uuid        NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    seen          bigint      NOT NULL DEFAULT 0,
    withdrawn     bigint      NOT NULL DEFAULT 0,
    done_at       timestamptz,
    CHECK (since <= until)
);
