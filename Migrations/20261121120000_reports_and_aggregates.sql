-- Reports, what they add up to, and the tables of reference beside them.
-- Every table that grows with numbers or reports has `number` in each of its keys, so that it can be distributed by it.

CREATE TABLE categories (
    category_id smallint PRIMARY KEY,
    slug        text     NOT NULL UNIQUE CHECK (slug ~ '^[a-z_]{1,32}$'),
    toxic       boolean  NOT NULL
);

INSERT INTO categories (category_id, slug, toxic) VALUES
    (1, 'fraud', true),
    (2, 'pyramid', true),
    (3, 'debt_collection', true),
    (4, 'telemarketing', true),
    (5, 'survey', true),
    (6, 'robocall', true),
    (7, 'silent', true),
    (8, 'one_ring', true),
    (9, 'gambling', true),
    (10, 'political', true),
    (11, 'harassment', true),
    (12, 'other', true),
    (13, 'legitimate', false);

-- heat: decayed complaints needed to be listed; review_heat: to be shown to a moderator.
CREATE TABLE thresholds (
    category_id smallint         PRIMARY KEY REFERENCES categories,
    heat        double precision NOT NULL CHECK (heat > 0),
    confidence  double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    review_heat double precision NOT NULL CHECK (review_heat > 0 AND review_heat <= heat)
);

-- Fraud and threats are listed soonest; what some people welcome (politics, surveys) latest.
INSERT INTO thresholds (category_id, heat, confidence, review_heat) VALUES
    (1, 2.0, 0.30, 1.0),
    (2, 2.5, 0.35, 1.2),
    (3, 3.0, 0.40, 1.5),
    (4, 3.0, 0.40, 1.5),
    (5, 4.0, 0.50, 2.0),
    (6, 3.0, 0.40, 1.5),
    (7, 3.0, 0.40, 1.5),
    (8, 2.5, 0.35, 1.2),
    (9, 3.0, 0.40, 1.5),
    (10, 5.0, 0.50, 2.5),
    (11, 2.0, 0.30, 1.0),
    (12, 3.0, 0.40, 1.5);

-- Who sends reports. A list that is imported is an app without a key.
CREATE TABLE apps (
    app_id     integer     GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text        NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 80),
    key_hash   bytea       UNIQUE CHECK (length(key_hash) = 32),
    created_at timestamptz NOT NULL,
    revoked_at timestamptz
);

-- A report as it came. The client fixes reported_at with the report, so that a retry meets the same key.
CREATE TABLE reports (
    number      bigint      NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    app_id      integer     NOT NULL,
    report_id   uuid        NOT NULL,
    reported_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    category_id smallint    NOT NULL,
    reporter    bytea       CHECK (length(reporter) = 16),
    weight      real        NOT NULL CHECK (weight > 0),
    comment     text        CHECK (length(comment) <= 500),
    PRIMARY KEY (number, app_id, report_id, reported_at)
) PARTITION BY RANGE (reported_at);

-- A reporter's present word about a number: one reporter counts once. previous_* is what that word replaced when it was
-- last changed; the statement that changes it returns both, and takes back what the former word had added.
CREATE TABLE number_reporters (
    number               bigint      NOT NULL,
    reporter             bytea       NOT NULL,
    category_id          smallint    NOT NULL,
    reported_at          timestamptz NOT NULL,
    weight               real        NOT NULL,
    previous_category_id smallint,
    previous_reported_at timestamptz,
    previous_weight      real,
    PRIMARY KEY (number, reporter)
) WITH (fillfactor = 90);

-- What is known of a number. Masses are stored against a fixed origin (see Decay): additions only, no nightly sweep.
-- No index on a mass: every update would cease to be a heap-only one.
CREATE TABLE numbers (
    number            bigint           PRIMARY KEY,
    heat              double precision NOT NULL,
    evidence          double precision NOT NULL,
    legitimate        double precision NOT NULL,
    reports           bigint           NOT NULL,
    reporters         integer          NOT NULL,
    first_reported_at timestamptz      NOT NULL,
    last_reported_at  timestamptz      NOT NULL
) WITH (fillfactor = 85);

CREATE TABLE number_categories (
    number      bigint           NOT NULL,
    category_id smallint         NOT NULL,
    heat        double precision NOT NULL,
    evidence    double precision NOT NULL,
    reports     bigint           NOT NULL,
    reporters   integer          NOT NULL,
    PRIMARY KEY (number, category_id)
) WITH (fillfactor = 85);
