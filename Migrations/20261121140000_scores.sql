-- What a number's score is judged by: days, networks, imported lists, versioned thresholds, what is listed.

-- day_bits: bit i is set when a complaint that stands was said on last_day - i (days in UTC, 0 to 63).
-- network_bits: a complaint came through a network whose keyed hash begins with a byte that is i modulo 64. Bits of
-- networks stay when the networks are purged. Reports of weight 0, and votes for the number, set none.
ALTER TABLE numbers
    ADD COLUMN day_bits     bigint NOT NULL DEFAULT 0,
    ADD COLUMN last_day     date,
    ADD COLUMN network_bits bigint NOT NULL DEFAULT 0;

-- A reporter may count for nothing.
ALTER TABLE reports DROP CONSTRAINT reports_weight_check;
ALTER TABLE reports ADD CONSTRAINT reports_weight_check CHECK (weight >= 0);

-- What each imported list says of a number: rows without a reporter that complain and stand, and their days as above.
CREATE TABLE number_sources (
    number     bigint  NOT NULL,
    app_id     integer NOT NULL,
    complaints integer NOT NULL,
    day_bits   bigint  NOT NULL,
    last_day   date,
    PRIMARY KEY (number, app_id)
) WITH (fillfactor = 85);

WITH complaint AS (
    SELECT number, network, withdrawn_at IS NULL AS stands, (reported_at AT TIME ZONE 'UTC')::date AS day,
           max((reported_at AT TIME ZONE 'UTC')::date) FILTER (WHERE withdrawn_at IS NULL)
             OVER (PARTITION BY number) AS newest
    FROM reports JOIN categories USING (category_id)
    WHERE toxic
), mark AS (
    SELECT number, max(newest) AS last_day,
           coalesce(bit_or(CASE WHEN newest - day < 64 THEN 1::bigint << (newest - day) ELSE 0 END)
                      FILTER (WHERE stands), 0) AS day_bits,
           coalesce(bit_or(1::bigint << (get_byte(network, 0) & 63)), 0) AS network_bits
    FROM complaint GROUP BY number
)
UPDATE numbers n SET day_bits = m.day_bits, last_day = m.last_day, network_bits = m.network_bits
FROM mark m WHERE n.number = m.number;

WITH complaint AS (
    SELECT number, app_id, toxic AND withdrawn_at IS NULL AS counts, (reported_at AT TIME ZONE 'UTC')::date AS day,
           max((reported_at AT TIME ZONE 'UTC')::date) FILTER (WHERE toxic AND withdrawn_at IS NULL)
             OVER (PARTITION BY number, app_id) AS newest
    FROM reports JOIN categories USING (category_id)
    WHERE reporter IS NULL
)
INSERT INTO number_sources (number, app_id, complaints, day_bits, last_day)
SELECT number, app_id, count(*) FILTER (WHERE counts),
       coalesce(bit_or(CASE WHEN newest - day < 64 THEN 1::bigint << (newest - day) ELSE 0 END) FILTER (WHERE counts), 0),
       max(newest)
FROM complaint GROUP BY number, app_id;

-- What a reporter's word weighs, where anything is known of the reporter. A table of reference: every node has all of it.
CREATE TABLE reporter_weights (
    reporter   bytea       PRIMARY KEY CHECK (length(reporter) = 16),
    weight     real        NOT NULL CHECK (weight BETWEEN 0 AND 1),
    changed_at timestamptz NOT NULL
);

-- What a set of thresholds was, who made it, when and why. The newest is in force; none is ever changed.
CREATE TABLE threshold_versions (
    version  integer     PRIMARY KEY CHECK (version > 0),
    saved_at timestamptz NOT NULL,
    saved_by text        NOT NULL CHECK (length(saved_by) BETWEEN 1 AND 80),
    reason   text        NOT NULL CHECK (length(reason) BETWEEN 1 AND 500)
);

-- country: ISO 3166 alpha-2, or nothing for all countries without a threshold of their own.
CREATE TABLE threshold_rules (
    version          integer          NOT NULL REFERENCES threshold_versions,
    category_id      smallint         NOT NULL REFERENCES categories,
    country          text             NOT NULL CHECK (country = '' OR country ~ '^[A-Z]{2}$'),
    watch_heat       double precision NOT NULL CHECK (watch_heat > 0 AND watch_heat <= enter_heat),
    enter_heat       double precision NOT NULL CHECK (enter_heat > 0),
    enter_evidence   double precision NOT NULL CHECK (enter_evidence >= 0),
    enter_confidence double precision NOT NULL CHECK (enter_confidence BETWEEN 0 AND 1),
    enter_reporters  integer          NOT NULL CHECK (enter_reporters >= 0),
    enter_networks   integer          NOT NULL CHECK (enter_networks BETWEEN 0 AND 64),
    enter_days       integer          NOT NULL CHECK (enter_days BETWEEN 0 AND 64),
    leave_heat       double precision NOT NULL CHECK (leave_heat > 0 AND leave_heat <= enter_heat),
    leave_evidence   double precision NOT NULL CHECK (leave_evidence BETWEEN 0 AND enter_evidence),
    leave_confidence double precision NOT NULL CHECK (leave_confidence BETWEEN 0 AND enter_confidence),
    leave_reporters  integer          NOT NULL CHECK (leave_reporters BETWEEN 0 AND enter_reporters),
    leave_networks   integer          NOT NULL CHECK (leave_networks BETWEEN 0 AND enter_networks),
    leave_days       integer          NOT NULL CHECK (leave_days BETWEEN 0 AND enter_days),
    PRIMARY KEY (version, category_id, country)
);

-- What an imported list counts for, by version. app_id 0: every list without a rule of its own.
CREATE TABLE sources (
    version          integer NOT NULL REFERENCES threshold_versions,
    app_id           integer NOT NULL CHECK (app_id >= 0),
    weight           real    NOT NULL CHECK (weight BETWEEN 0 AND 10),
    enter_complaints integer NOT NULL CHECK (enter_complaints >= 1),
    enter_days       integer NOT NULL CHECK (enter_days BETWEEN 1 AND 64),
    leave_complaints integer NOT NULL CHECK (leave_complaints BETWEEN 1 AND enter_complaints),
    leave_days       integer NOT NULL CHECK (leave_days BETWEEN 1 AND enter_days),
    PRIMARY KEY (version, app_id)
);

-- Heat, confidence and review stay what they were. Beside them: three reporters (five where some people welcome the
-- calls) through two networks on two days. Half the heat keeps a number listed: two more weeks of silence.
INSERT INTO threshold_versions (version, saved_at, saved_by, reason) VALUES
    (1, '2026-11-21T14:00:00Z', 'Ringfence', 'What Ringfence ships with.');
INSERT INTO threshold_rules
SELECT 1, category_id, '', review_heat,
       heat, heat, confidence, CASE WHEN category_id IN (5, 10) THEN 5 ELSE 3 END, 2, 2,
       heat / 2, heat / 2, greatest(0, confidence - 0.1), CASE WHEN category_id IN (5, 10) THEN 4 ELSE 2 END, 1, 1
FROM thresholds;
INSERT INTO sources VALUES (1, 0, 1, 3, 3, 2, 2);
DROP TABLE thresholds;

-- What the last publication blocks or names, other than by a directory alone. cause: 0 reports, 1 a decision, 2 an
-- approved range; only what reports have listed was weighed and reviewed, and stays by the leaving threshold. treatment:
-- 0 may be blocked, 1 is only named.
CREATE TABLE listings (
    number      bigint      PRIMARY KEY,
    category_id smallint    NOT NULL,
    cause       smallint    NOT NULL DEFAULT 0 CHECK (cause BETWEEN 0 AND 2),
    treatment   smallint    NOT NULL DEFAULT 0 CHECK (treatment BETWEEN 0 AND 1),
    serial      bigint      NOT NULL,
    listed_at   timestamptz NOT NULL
);
