-- A publication has a row from the moment its serial is claimed; the row says how far it is and how it ended.
ALTER TABLE publications
    ALTER COLUMN published_at DROP NOT NULL,
    ALTER COLUMN manifest_sha256 DROP NOT NULL,
    ADD COLUMN state           text        NOT NULL DEFAULT 'published'
        CHECK (state IN ('running', 'published', 'refused', 'failed')),
    ADD COLUMN cause           text        NOT NULL DEFAULT 'night' CHECK (cause IN ('night', 'command', 'revocation')),
    ADD COLUMN claim           uuid,
    ADD COLUMN started_at      timestamptz,
    ADD COLUMN heartbeat_at    timestamptz,
    ADD COLUMN step            text        NOT NULL DEFAULT '' CHECK (length(step) <= 200),
    ADD COLUMN percent         smallint    NOT NULL DEFAULT 0 CHECK (percent BETWEEN 0 AND 100),
    ADD COLUMN failure         text        CHECK (length(failure) <= 2000),
    ADD CONSTRAINT published_is_whole
        CHECK (state <> 'published' OR (published_at IS NOT NULL AND manifest_sha256 IS NOT NULL));

CREATE TABLE publication_packs (
    serial      bigint  NOT NULL REFERENCES publications,
    name        text    NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
    kind        text    NOT NULL,
    pack_serial bigint  NOT NULL,
    entries     bigint  NOT NULL CHECK (entries >= 0),
    size_bytes  bigint  NOT NULL CHECK (size_bytes >= 0),
    delta_bytes bigint  CHECK (delta_bytes >= 0),
    PRIMARY KEY (serial, name)
);

-- What each gate said of a publication; pack is empty for a gate that looks at the whole.
CREATE TABLE publication_gates (
    serial        bigint  NOT NULL REFERENCES publications,
    gate          text    NOT NULL,
    pack          text    NOT NULL,
    passed        boolean NOT NULL,
    detail        text    NOT NULL CHECK (length(detail) <= 2000),
    overruled_by  text    CHECK (length(overruled_by) BETWEEN 1 AND 80),
    overruled_why text    CHECK (length(overruled_why) BETWEEN 1 AND 1000),
    PRIMARY KEY (serial, gate, pack),
    CHECK ((overruled_by IS NULL) = (overruled_why IS NULL))
);

-- Which server does a job now. A hint that spares work: that no serial is published twice rests on the key above.
CREATE TABLE job_leases (
    job        text        PRIMARY KEY,
    holder     uuid        NOT NULL,
    host       text        NOT NULL,
    expires_at timestamptz NOT NULL
);

-- Single numbers that must go out, or come in, before the next night. Local to one node, like every outbox.
CREATE TABLE revocations (
    revocation_id uuid        PRIMARY KEY,
    number        bigint      NOT NULL CHECK (number > 0),
    action        text        NOT NULL CHECK (action IN ('remove', 'add')),
    category_id   smallint,
    label         text        CHECK (length(label) BETWEEN 1 AND 200),
    reason        text        NOT NULL CHECK (length(reason) BETWEEN 1 AND 1000),
    requested_by  text        NOT NULL CHECK (length(requested_by) BETWEEN 1 AND 80),
    requested_at  timestamptz NOT NULL,
    serial        bigint      REFERENCES publications,
    settled_at    timestamptz,
    failure       text        CHECK (length(failure) <= 2000),
    CHECK (action = 'remove' OR category_id IS NOT NULL OR label IS NOT NULL)
);

CREATE INDEX revocations_open ON revocations (requested_at) WHERE settled_at IS NULL;

-- What receivers are to be told, written with the publication that it tells of.
CREATE TABLE webhook_deliveries (
    delivery_id     uuid        PRIMARY KEY,
    url             text        NOT NULL CHECK (length(url) BETWEEN 1 AND 2000),
    body            text        NOT NULL CHECK (length(body) <= 65536),
    created_at      timestamptz NOT NULL,
    attempts        integer     NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_attempt_at timestamptz NOT NULL,
    delivered_at    timestamptz,
    last_error      text        CHECK (length(last_error) <= 2000)
);

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at) WHERE delivered_at IS NULL;
