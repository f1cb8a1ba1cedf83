-- Accounts: roles, passwords, second factors, sessions that can be seen and ended, and the trail of what was changed.

-- Whoever had an account could look at everything and change nothing.
ALTER TABLE moderators
    ADD COLUMN role            text    NOT NULL DEFAULT 'moderator' CHECK (role IN ('triage', 'moderator', 'administrator')),
    ADD COLUMN language        text    CHECK (language IN ('en', 'ru')),
    -- scrypt$LOG2_N$R$P$SALT$HASH, both in base64.
    ADD COLUMN password        text    CHECK (length(password) BETWEEN 20 AND 300),
    -- Encrypted with a key that is not in the database.
    ADD COLUMN totp_secret     bytea   CHECK (length(totp_secret) BETWEEN 20 AND 200),
    -- The newest step of 30 seconds whose code was taken: a code works once.
    ADD COLUMN totp_step       bigint  NOT NULL DEFAULT 0,
    ADD COLUMN sign_ins        integer NOT NULL DEFAULT 0 CHECK (sign_ins >= 0),
    ADD COLUMN signed_in_at    timestamptz,
    ADD COLUMN disabled_at     timestamptz;

-- Sessions from before have no beginning; their owners sign in once more.
DELETE FROM sessions;
ALTER TABLE sessions
    -- Names the session where it is ended from another one: it opens nothing.
    ADD COLUMN session_id uuid        NOT NULL UNIQUE,
    ADD COLUMN opened_at  timestamptz NOT NULL,
    ADD COLUMN seen_at    timestamptz NOT NULL,
    -- What kind of browser on what kind of system, in words.
    ADD COLUMN browser    text        NOT NULL DEFAULT '' CHECK (length(browser) <= 80);
CREATE INDEX sessions_by_moderator ON sessions (moderator_id);

-- Whoever has shown the first factor and not the second one yet.
CREATE TABLE sign_in_steps (
    token_hash   bytea       PRIMARY KEY CHECK (length(token_hash) = 32),
    moderator_id integer     NOT NULL REFERENCES moderators,
    way          text        NOT NULL CHECK (way IN ('link', 'password')),
    expires_at   timestamptz NOT NULL
);

-- Which key the secrets are encrypted with: a server with another one would refuse every code.
CREATE TABLE account_key (
    only_row    boolean PRIMARY KEY CHECK (only_row),
    fingerprint bytea   NOT NULL CHECK (length(fingerprint) = 32)
);

-- Each works once, in place of a second factor.
CREATE TABLE recovery_codes (
    moderator_id integer NOT NULL REFERENCES moderators,
    code_hash    bytea   NOT NULL CHECK (length(code_hash) = 32),
    PRIMARY KEY (moderator_id, code_hash)
);

-- A browser that has signed in before is not kept out by the guesses of others.
CREATE TABLE known_browsers (
    moderator_id integer     NOT NULL REFERENCES moderators,
    token_hash   bytea       NOT NULL CHECK (length(token_hash) = 32),
    seen_at      timestamptz NOT NULL,
    PRIMARY KEY (moderator_id, token_hash)
);

-- Failed attempts to sign in, counted by what a keyed hash stands for: an account, a network, a known browser.
CREATE TABLE sign_in_attempts (
    subject      bytea       PRIMARY KEY CHECK (length(subject) = 32),
    failures     integer     NOT NULL CHECK (failures >= 0),
    last_at      timestamptz NOT NULL,
    closed_until timestamptz NOT NULL
);
CREATE INDEX sign_in_attempts_by_time ON sign_in_attempts (last_at);

-- Who changed what, when and why. It only grows.
CREATE TABLE audit_events (
    happened_at timestamptz NOT NULL,
    event_id    uuid        NOT NULL,
    actor       text        NOT NULL CHECK (length(actor) BETWEEN 1 AND 80),
    role        text        NOT NULL CHECK (length(role) BETWEEN 1 AND 40),
    action      text        NOT NULL CHECK (action ~ '^[a-z_]{1,40}\.[a-z_]{1,40}$'),
    subject     text        NOT NULL CHECK (length(subject) BETWEEN 1 AND 200),
    before      jsonb,
    after       jsonb,
    reason      text        CHECK (length(reason) BETWEEN 1 AND 2000),
    PRIMARY KEY (happened_at, event_id)
);
CREATE INDEX audit_events_by_actor ON audit_events (actor, happened_at, event_id);
CREATE INDEX audit_events_by_action ON audit_events (action text_pattern_ops, happened_at, event_id);
CREATE INDEX audit_events_by_subject ON audit_events (subject text_pattern_ops, happened_at, event_id);

-- The one trigger there is: on a table that is local to one node, and against hands, not for any rule of ours.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'The audit trail only grows: % is refused.', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER audit_events_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
