-- contract
-- The initial schema, by domain.
--
-- Rules of the schema:
-- * A table that grows with numbers or reports has `number` in its primary key and in each unique index, and no foreign
--   key, so that it can be distributed by number. TablePlacement.all (Sources/Storage/Cluster) lists the tables that
--   are distributed, copied to every node, or local to the coordinator.
-- * `number` is an E.164 number without its plus sign.
-- * Times in distributed and copied tables are parameters of statements, never functions of the database.
-- * `account`, `actor` and columns with the suffix `_by` contain the name of an account, or of a person on the command
--   line.
-- * There are no triggers, rules or views, except the trigger that protects the audit log.

-- Categories and thresholds

-- Categories of reports, the same as ReportCategory in the code.
CREATE TABLE categories (
    category_id smallint PRIMARY KEY,
    slug        text     NOT NULL UNIQUE CHECK (slug ~ '^[a-z_]{1,32}$'),
    -- False only for 'legitimate'.
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

-- Versions of the thresholds with author, time and reason. The newest is in force. Rows are never changed.
CREATE TABLE threshold_versions (
    version  integer     PRIMARY KEY CHECK (version > 0),
    saved_at timestamptz NOT NULL,
    saved_by text        NOT NULL CHECK (length(saved_by) BETWEEN 1 AND 80),
    -- NULL for the defaults.
    reason   text        CHECK (length(reason) BETWEEN 1 AND 500)
);

-- Thresholds: limits to be listed (enter) and to stay listed (leave), by category and country.
CREATE TABLE threshold_rules (
    version          integer          NOT NULL REFERENCES threshold_versions,
    category_id      smallint         NOT NULL REFERENCES categories,
    -- ISO 3166 alpha-2; empty for the default of all other countries.
    country          text             NOT NULL CHECK (country = '' OR country ~ '^[A-Z]{2}$'),
    -- Minimum heat to put the number into the review queue.
    review_heat      double precision NOT NULL CHECK (review_heat > 0 AND review_heat <= enter_heat),
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

-- Weights and limits of imported lists, by version of the thresholds.
CREATE TABLE source_rules (
    version          integer NOT NULL REFERENCES threshold_versions,
    -- The list's row in apps; 0 for the default of all other lists.
    app_id           integer NOT NULL CHECK (app_id >= 0),
    weight           real    NOT NULL CHECK (weight BETWEEN 0 AND 10),
    enter_complaints integer NOT NULL CHECK (enter_complaints >= 1),
    enter_days       integer NOT NULL CHECK (enter_days BETWEEN 1 AND 64),
    leave_complaints integer NOT NULL CHECK (leave_complaints BETWEEN 1 AND enter_complaints),
    leave_days       integer NOT NULL CHECK (leave_days BETWEEN 1 AND enter_days),
    -- With fewer complaints a number is identified and not blocked.
    block_complaints integer NOT NULL CHECK (block_complaints BETWEEN 1 AND 1000000),
    PRIMARY KEY (version, app_id)
);

-- Weights of new reporters by what their phone has attested, by version of the thresholds.
CREATE TABLE attestation_rules (
    version    integer NOT NULL REFERENCES threshold_versions,
    -- 0 for the default of all other apps.
    app_id     integer NOT NULL CHECK (app_id >= 0),
    hardware   real    NOT NULL CHECK (hardware BETWEEN 0 AND 1),
    software   real    NOT NULL CHECK (software BETWEEN 0 AND 1),
    unattested real    NOT NULL CHECK (unattested BETWEEN 0 AND 1),
    PRIMARY KEY (version, app_id)
);

-- The limits from which reports identify a number that they do not block, by version of the thresholds.
CREATE TABLE identify_rules (
    version             integer          PRIMARY KEY REFERENCES threshold_versions,
    heat_share          double precision NOT NULL CHECK (heat_share > 0 AND heat_share <= 1),
    reporters           integer          NOT NULL CHECK (reporters BETWEEN 2 AND 64),
    networks            integer          NOT NULL CHECK (networks BETWEEN 2 AND 64),
    days                integer          NOT NULL CHECK (days BETWEEN 2 AND 64),
    -- The limits for a number that a source names too.
    corroborated_reporters integer       NOT NULL CHECK (corroborated_reporters BETWEEN 2 AND reporters),
    corroborated_networks  integer       NOT NULL CHECK (corroborated_networks BETWEEN 2 AND networks),
    corroborated_days      integer       NOT NULL CHECK (corroborated_days BETWEEN 2 AND days),
    -- Codes of the marks of a hold with which reports may identify.
    marks               text[]           NOT NULL,
    -- Most numbers per day that newcomers of one app label, and further ones for each of its reporters a week ago.
    labels              integer          NOT NULL CHECK (labels BETWEEN 0 AND 1000000),
    label_share         double precision NOT NULL CHECK (label_share BETWEEN 0 AND 1)
);

-- The defaults. Limits are lowest for fraud and harassment, and highest for political calls and surveys, which some
-- people want. A listed number stays until it has half the heat, which takes two weeks without complaints.
INSERT INTO threshold_versions (version, saved_at, saved_by, reason) VALUES
    (1, '2026-11-21T14:00:00Z', 'Ringfence', NULL);
INSERT INTO threshold_rules
    (version, category_id, country, review_heat,
     enter_heat, enter_evidence, enter_confidence, enter_reporters, enter_networks, enter_days,
     leave_heat, leave_evidence, leave_confidence, leave_reporters, leave_networks, leave_days)
VALUES
    (1, 1, '', 1.0, 2.0, 2.0, 0.30, 3, 2, 2, 1.00, 1.00, 0.20, 2, 1, 1),
    (1, 2, '', 1.2, 2.5, 2.5, 0.35, 3, 2, 2, 1.25, 1.25, 0.25, 2, 1, 1),
    (1, 3, '', 1.5, 3.0, 3.0, 0.40, 3, 2, 2, 1.50, 1.50, 0.30, 2, 1, 1),
    (1, 4, '', 1.5, 3.0, 3.0, 0.40, 3, 2, 2, 1.50, 1.50, 0.30, 2, 1, 1),
    (1, 5, '', 2.0, 4.0, 4.0, 0.50, 5, 2, 2, 2.00, 2.00, 0.40, 4, 1, 1),
    (1, 6, '', 1.5, 3.0, 3.0, 0.40, 3, 2, 2, 1.50, 1.50, 0.30, 2, 1, 1),
    (1, 7, '', 1.5, 3.0, 3.0, 0.40, 3, 2, 2, 1.50, 1.50, 0.30, 2, 1, 1),
    (1, 8, '', 1.2, 2.5, 2.5, 0.35, 3, 2, 2, 1.25, 1.25, 0.25, 2, 1, 1),
    (1, 9, '', 1.5, 3.0, 3.0, 0.40, 3, 2, 2, 1.50, 1.50, 0.30, 2, 1, 1),
    (1, 10, '', 2.5, 5.0, 5.0, 0.50, 5, 2, 2, 2.50, 2.50, 0.40, 4, 1, 1),
    (1, 11, '', 1.0, 2.0, 2.0, 0.30, 3, 2, 2, 1.00, 1.00, 0.20, 2, 1, 1),
    (1, 12, '', 1.5, 3.0, 3.0, 0.40, 3, 2, 2, 1.50, 1.50, 0.30, 2, 1, 1);
INSERT INTO source_rules
    (version, app_id, weight, enter_complaints, enter_days, leave_complaints, leave_days, block_complaints)
VALUES (1, 0, 1, 3, 3, 2, 2, 1);
INSERT INTO attestation_rules VALUES (1, 0, 0.8, 0.5, 0.5);
INSERT INTO identify_rules VALUES (1, 0.4, 3, 3, 3, 2, 2, 2, '{new_reporters,one_week}', 3, 0.02);

-- Apps

-- Senders of reports: apps, and imported lists.
CREATE TABLE apps (
    app_id     integer     GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text        NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 80),
    created_at timestamptz NOT NULL,
    -- An imported list has no key.
    is_list    boolean     NOT NULL DEFAULT false,
    -- Which builds of the app may attest, as JSON; NULL for none.
    attestation text       CHECK (octet_length(attestation) <= 32768)
);

-- API keys. Only their hashes are stored.
CREATE TABLE app_keys (
    key_id       integer     GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    app_id       integer     NOT NULL REFERENCES apps,
    key_hash     bytea       NOT NULL UNIQUE CHECK (length(key_hash) = 32),
    -- The first characters of the key, to identify it on pages.
    hint         text        NOT NULL CHECK (length(hint) <= 16),
    -- Bits: 1 report, 2 identify, 4 lookup, 8 fetch, 16 vouch, 32 moderate, 64 administer, 128 install.
    scopes       smallint    NOT NULL CHECK (scopes BETWEEN 1 AND 255),
    created_at   timestamptz NOT NULL,
    created_by   text        NOT NULL CHECK (length(created_by) BETWEEN 1 AND 80),
    expires_at   timestamptz,
    revoked_at   timestamptz,
    last_used_at timestamptz
);
CREATE INDEX app_keys_of_app ON app_keys (app_id);

-- Requests to withdraw all reports that arrived with a key, and their progress.
CREATE TABLE key_withdrawals (
    withdrawal_id bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key_id        integer     NOT NULL REFERENCES app_keys,
    -- The withdrawal includes reports that arrived from `since` on and before `until`.
    since         timestamptz NOT NULL,
    until         timestamptz NOT NULL,
    reason        text        NOT NULL CHECK (length(reason) BETWEEN 1 AND 1000),
    asked_by      text        NOT NULL CHECK (length(asked_by) BETWEEN 1 AND 80),
    asked_at      timestamptz NOT NULL,
    -- The progress: all reports of the app with a smaller id are done.
    position      uuid        NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    -- Counts of reports that were read, and of those that were withdrawn.
    seen          bigint      NOT NULL DEFAULT 0,
    withdrawn     bigint      NOT NULL DEFAULT 0,
    done_at       timestamptz,
    CHECK (since <= until)
);

-- Tokens of installed apps: of Apple's reporting extension, which cannot send a key, and of phones that have attested.
CREATE TABLE installations (
    -- SHA-256 of the token.
    digest     bytea       PRIMARY KEY CHECK (length(digest) = 32),
    app_id     integer     NOT NULL,
    -- The key that created it: reports have this key, and its end by revocation is the end of the token.
    key_id     integer     NOT NULL,
    created_at timestamptz NOT NULL,
    revoked_at timestamptz,
    -- The day of the last report, or of the creation, in days since 1970-01-01.
    last_day   integer     NOT NULL,
    -- Keyed hash of the key that a phone has attested; NULL for a token without attestation. All tokens of a key are one
    -- reporter.
    device     bytea       CHECK (length(device) = 16),
    -- NULL for a token without attestation.
    expires_at timestamptz,
    CHECK ((device IS NULL) = (expires_at IS NULL))
);
CREATE INDEX installations_of_key ON installations (key_id);
CREATE INDEX installations_by_day ON installations (last_day);
CREATE INDEX installations_by_expiry ON installations (expires_at) WHERE expires_at IS NOT NULL;

-- Reporters whose phone has attested. Nothing else about the phone is stored.
CREATE TABLE attested_reporters (
    reporter    bytea    PRIMARY KEY CHECK (length(reporter) = 16),
    app_id      integer  NOT NULL,
    -- 1 software, 2 hardware.
    level       smallint NOT NULL CHECK (level BETWEEN 1 AND 2),
    -- The greatest counter of an assertion; always 0 for Android.
    counter     bigint   NOT NULL CHECK (counter BETWEEN 0 AND 4294967295),
    -- The days of the attestation and of the last token, in days since 1970-01-01.
    attested_on integer  NOT NULL,
    renewed_on  integer  NOT NULL
);
CREATE INDEX attested_reporters_by_day ON attested_reporters (renewed_on);

-- Reports

-- Reports as they arrived, by month. The client chooses report_id and reported_at, so that a retry has the same key.
CREATE TABLE reports (
    number            bigint      NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    app_id            integer     NOT NULL,
    report_id         uuid        NOT NULL,
    reported_at       timestamptz NOT NULL,
    received_at       timestamptz NOT NULL,
    category_id       smallint    NOT NULL,
    -- Pseudonym of the app's user; NULL for reports of imported lists.
    reporter          bytea       CHECK (length(reporter) = 16),
    -- Weight of the reporter, or of the list, when the report arrived; 0 is ignored.
    weight            real        NOT NULL CHECK (weight >= 0),
    comment           text        CHECK (length(comment) <= 500),
    -- Keyed hash of the sender's network; NULL after 30 days.
    network           bytea       CHECK (length(network) = 8),
    withdrawn_at      timestamptz,
    -- The time at which the comment was deleted. A retry with the comment is still recognized.
    comment_purged_at timestamptz,
    -- The API key that the report arrived with; NULL for imported lists. Without an index: a leaked key's reports are
    -- found through reports_by_id, in pages.
    key_id            integer,
    PRIMARY KEY (number, app_id, report_id, reported_at)
) PARTITION BY RANGE (reported_at);

-- Finds a report by its app's id, to withdraw it and to refuse the same id with other content. Not unique, because a
-- unique index of a distributed table must include the number.
CREATE INDEX reports_by_id ON reports (app_id, report_id);
-- Reports with a network or comment to delete; the deletion removes the row from its index.
CREATE INDEX reports_with_network ON reports (received_at) WHERE network IS NOT NULL;
CREATE INDEX reports_with_comment ON reports (received_at) WHERE comment IS NOT NULL;
-- Rows are in the order of arrival, so a block range index finds the reports of the last minutes.
CREATE INDEX reports_by_arrival ON reports USING brin (received_at);

-- Votes: a reporter's current report on a number. A newer report replaces the vote; of two with the same reported_at
-- the one that arrived later counts.
CREATE TABLE number_reporters (
    number               bigint      NOT NULL,
    reporter             bytea       NOT NULL,
    category_id          smallint    NOT NULL,
    reported_at          timestamptz NOT NULL,
    weight               real        NOT NULL,
    -- The vote that this one replaced. The statement that replaces a vote returns both, to subtract the earlier one.
    previous_category_id smallint,
    previous_reported_at timestamptz,
    previous_weight      real,
    received_at          timestamptz NOT NULL,
    PRIMARY KEY (number, reporter)
) WITH (fillfactor = 90);

-- Retention

-- Reports before this time were dropped in complete months and are refused; their sums stay. No row if none were
-- dropped. Numbers first reported before this time cannot be recounted.
CREATE TABLE report_retention (
    only_row       boolean     PRIMARY KEY CHECK (only_row),
    dropped_before timestamptz NOT NULL
);

-- Proofs of deletion: how many rows of a kind were deleted, and when.
CREATE TABLE deletions (
    -- A value of RetainedData.
    kind       text        NOT NULL CHECK (kind ~ '^[a-z_]{1,40}$'),
    deleted_at timestamptz NOT NULL,
    rows       bigint      NOT NULL CHECK (rows > 0),
    PRIMARY KEY (kind, deleted_at)
);

-- Numbers

-- Sums over all reports on a number. heat, evidence and legitimate are stored relative to a fixed time (see Decay), so
-- an update only adds to them. They have no index, because an index would prevent heap-only updates.
CREATE TABLE numbers (
    number            bigint           PRIMARY KEY,
    heat              double precision NOT NULL,
    evidence          double precision NOT NULL,
    legitimate        double precision NOT NULL,
    reports           bigint           NOT NULL,
    reporters         integer          NOT NULL,
    first_reported_at timestamptz      NOT NULL,
    last_reported_at  timestamptz      NOT NULL,
    -- Bit i (0 to 63): a reporter's complaint arrived on the UTC day last_day - i. Withdrawn complaints and complaints of
    -- weight 0 set no bit.
    day_bits          bigint           NOT NULL DEFAULT 0,
    last_day          date,
    -- Bit i (0 to 63): there is a complaint from a network whose keyed hash begins with a byte that is i modulo 64.
    -- Bits are kept after the networks are deleted.
    network_bits      bigint           NOT NULL DEFAULT 0,
    -- Not before the arrival of the last report of a reporter. Apps see no report before the next publication or day.
    last_received_at  timestamptz
) WITH (fillfactor = 85);

-- Search by the last six digits. The number never changes, so updates stay heap-only.
CREATE INDEX numbers_by_ending ON numbers ((number % 1000000), number);

-- The same sums by category.
CREATE TABLE number_categories (
    number      bigint           NOT NULL,
    category_id smallint         NOT NULL,
    heat        double precision NOT NULL,
    evidence    double precision NOT NULL,
    reports     bigint           NOT NULL,
    reporters   integer          NOT NULL,
    PRIMARY KEY (number, category_id)
) WITH (fillfactor = 85);
-- Numbers with 'legitimate' votes. The predicate uses only columns that never change, so that updates stay heap-only.
CREATE INDEX number_categories_legitimate ON number_categories (number) WHERE category_id = 13;

-- The complaints of each imported list on a number; sums and days as in numbers, whose sums include them.
CREATE TABLE number_sources (
    number     bigint           NOT NULL,
    app_id     integer          NOT NULL,
    complaints integer          NOT NULL,
    heat       double precision NOT NULL,
    evidence   double precision NOT NULL,
    day_bits   bigint           NOT NULL,
    last_day   date,
    PRIMARY KEY (number, app_id)
) WITH (fillfactor = 85);

-- Notes of moderators about a number; shown to moderators only.
CREATE TABLE number_notes (
    number     bigint      NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    note_id    uuid        NOT NULL,
    account    text        NOT NULL CHECK (length(account) BETWEEN 1 AND 80),
    note       text        NOT NULL CHECK (length(note) BETWEEN 1 AND 2000),
    written_at timestamptz NOT NULL,
    PRIMARY KEY (number, note_id)
);

-- Identifications

-- Counted batches, to recognize retries. A batch is deleted when its days are too old to be sent again.
CREATE TABLE identification_batches (
    app_id       integer     NOT NULL,
    batch_id     uuid        NOT NULL,
    content_hash bytea       NOT NULL CHECK (length(content_hash) = 32),
    received_at  timestamptz NOT NULL,
    PRIMARY KEY (app_id, batch_id)
);
CREATE INDEX identification_batches_by_age ON identification_batches (received_at);

-- Counts of calls that phones could or could not name, by number and day.
CREATE TABLE identification_days (
    number  bigint NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    day     date   NOT NULL,
    named   bigint NOT NULL CHECK (named >= 0),
    unknown bigint NOT NULL CHECK (unknown >= 0),
    PRIMARY KEY (number, day)
) WITH (fillfactor = 85);

-- Sums of identification_days over all days of a number.
CREATE TABLE number_identifications (
    number   bigint           PRIMARY KEY,
    -- As in numbers; each call has weight 1 at noon UTC of its day.
    heat     double precision NOT NULL,
    named    bigint           NOT NULL,
    unknown  bigint           NOT NULL,
    last_day date             NOT NULL
) WITH (fillfactor = 85);

-- Reporters

-- Reporters' weights that differ from the default of new reporters.
CREATE TABLE reporter_weights (
    reporter   bytea       PRIMARY KEY CHECK (length(reporter) = 16),
    weight     real        NOT NULL CHECK (weight BETWEEN 0 AND 1),
    changed_at timestamptz NOT NULL,
    -- Since when the reporter has limited the processing of the reports: the weight stays 0.
    restricted_at timestamptz CHECK (restricted_at IS NULL OR weight = 0)
);

-- Records of reporters that are no longer new, as of the last recount of reporters. Weights are computed from them.
CREATE TABLE reporters (
    reporter          bytea       PRIMARY KEY CHECK (length(reporter) = 16),
    -- When the first report arrived, or the start of the earlier day in vouched_reporters.
    first_received_at timestamptz NOT NULL,
    -- Count of reported numbers that others reported as well.
    numbers           integer     NOT NULL CHECK (numbers >= 0),
    -- Since when the reporter is established, or will be; NULL without enough of these numbers.
    established_at    timestamptz,
    -- Counts of numbers with a decision after the report, and of those whose decision agrees with it.
    judged            integer     NOT NULL CHECK (judged >= 0),
    agreed            integer     NOT NULL CHECK (agreed BETWEEN 0 AND judged),
    -- Count of holds in which the reporter took part.
    brigades          integer     NOT NULL CHECK (brigades >= 0),
    is_established    boolean     NOT NULL,
    recounted_at      timestamptz NOT NULL
);
CREATE INDEX reporters_by_brigades ON reporters (brigades DESC, reporter) WHERE brigades > 0;
CREATE INDEX reporters_by_judged ON reporters (judged DESC, reporter) WHERE judged > 0;

-- Since when an app's server says that it knows its reporters, by the key that said it. A withdrawal of the key's reports
-- deletes its rows.
CREATE TABLE vouched_reporters (
    key_id     integer NOT NULL,
    reporter   bytea   NOT NULL CHECK (length(reporter) = 16),
    -- The earliest day that was sent, in UTC.
    since      date    NOT NULL,
    -- The day of the last report that said it, in UTC.
    vouched_on date    NOT NULL,
    PRIMARY KEY (key_id, reporter)
);

-- Decisions

-- All decisions. Rows are never changed; an 'undo' refers to the decision that it reverses.
CREATE TABLE decisions (
    number      bigint      NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    decision_id uuid        NOT NULL,
    decision    text        NOT NULL CHECK (decision IN ('block', 'identify', 'allow', 'undo')),
    label       text        CHECK (length(label) BETWEEN 1 AND 100),
    category_id smallint,
    undoes      uuid,
    reason      text        CHECK (length(reason) BETWEEN 1 AND 500),
    note        text        CHECK (length(note) BETWEEN 1 AND 2000),
    decided_by  text        NOT NULL CHECK (length(decided_by) BETWEEN 1 AND 80),
    decided_at  timestamptz NOT NULL,
    -- The case that the decision ended. Undoing the decision restores it.
    case_since  timestamptz,
    case_causes smallint    CHECK (case_causes BETWEEN 1 AND 63),
    case_level  smallint    CHECK (case_level BETWEEN 0 AND 2),
    -- When the decision expires; NULL for never. Of an undoing: when the decision that it ended had expired; NULL for an
    -- undoing by a person.
    expires_at  timestamptz,
    PRIMARY KEY (number, decision_id),
    CHECK ((decision = 'undo') = (undoes IS NOT NULL)),
    CHECK (decision <> 'identify' OR label IS NOT NULL),
    CHECK (decision NOT IN ('block', 'identify') OR reason IS NOT NULL),
    CHECK ((case_since IS NULL) = (case_causes IS NULL) AND (case_since IS NULL) = (case_level IS NULL))
);
CREATE INDEX decisions_by_time ON decisions (decided_at);

-- The decision in force for each number: the newest one that was not undone.
CREATE TABLE number_decisions (
    number      bigint      PRIMARY KEY,
    decision    text        NOT NULL CHECK (decision IN ('block', 'identify', 'allow')),
    label       text,
    category_id smallint,
    decision_id uuid        NOT NULL,
    decided_at  timestamptz NOT NULL,
    -- When the decision expires. Programs of an earlier version leave it unchanged, so only the row of decisions is
    -- reliable.
    expires_at  timestamptz
);
-- Search by the last six digits, and by the beginning of a label.
CREATE INDEX number_decisions_by_ending ON number_decisions ((number % 1000000), number);
CREATE INDEX number_decisions_by_label ON number_decisions (lower(label) text_pattern_ops, number) WHERE label IS NOT NULL;
-- Decisions in force that have expired.
CREATE INDEX number_decisions_by_expiry ON number_decisions (expires_at, number) WHERE expires_at IS NOT NULL;

-- Reviews

-- Decisions that another moderator reviews. A review is open to moderators only while its decision is in force.
CREATE TABLE decision_reviews (
    number      bigint      NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    decision_id uuid        NOT NULL,
    -- 'reach': the decision affects many reporters, or a held, listed or appealed number. The weights of reporters
    -- ignore such a decision to allow until it is confirmed. 'sample': the decision is in the random sample.
    cause       text        NOT NULL CHECK (cause IN ('reach', 'sample')),
    -- The account that decided, and its treatment.
    decided_by  text        NOT NULL CHECK (length(decided_by) BETWEEN 1 AND 80),
    decision    text        NOT NULL CHECK (decision IN ('block', 'identify', 'allow')),
    -- The decision's category, or else the category with the most heat of the number at that time.
    category_id smallint,
    -- 'confirmed' by a second person; 'disputed' by a second person, and to be settled by a third one; 'overruled' by a
    -- third person.
    state       text        NOT NULL CHECK (state IN ('open', 'confirmed', 'disputed', 'overruled')),
    opened_at   timestamptz NOT NULL,
    settled_by  text        CHECK (length(settled_by) BETWEEN 1 AND 80),
    settled_at  timestamptz,
    PRIMARY KEY (number, decision_id),
    CHECK ((settled_by IS NULL) = (settled_at IS NULL))
);
CREATE INDEX decision_reviews_open ON decision_reviews (opened_at, number) WHERE state IN ('open', 'disputed');

-- The administrator who turned second reviews and golden cases on. No row while they are off.
CREATE TABLE review_activation (
    only_row     boolean     PRIMARY KEY CHECK (only_row),
    turned_on_by text        NOT NULL CHECK (length(turned_on_by) BETWEEN 1 AND 80),
    turned_on_at timestamptz NOT NULL
);

-- The treatments that reviewers recorded without knowing the decision.
CREATE TABLE review_opinions (
    number      bigint      NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    decision_id uuid        NOT NULL,
    account     text        NOT NULL CHECK (length(account) BETWEEN 1 AND 80),
    decision    text        NOT NULL CHECK (decision IN ('block', 'identify', 'allow')),
    note        text        CHECK (length(note) BETWEEN 1 AND 2000),
    -- Whether the reviewer answered a golden case; such an opinion changes no decision.
    is_golden   boolean     NOT NULL,
    reviewed_at timestamptz NOT NULL,
    PRIMARY KEY (number, decision_id, account)
);
CREATE INDEX review_opinions_by_account ON review_opinions (account);

-- Decisions whose treatment is certain, to measure reviewers.
CREATE TABLE golden_cases (
    number      bigint      NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    decision_id uuid        NOT NULL,
    decided_by  text        NOT NULL CHECK (length(decided_by) BETWEEN 1 AND 80),
    decision    text        NOT NULL CHECK (decision IN ('block', 'identify', 'allow')),
    category_id smallint,
    marked_by   text        NOT NULL CHECK (length(marked_by) BETWEEN 1 AND 80),
    marked_at   timestamptz NOT NULL,
    PRIMARY KEY (number, decision_id)
);

-- Holds

-- Numbers kept back for review. A decision settles a hold; undoing the decision opens the hold again.
CREATE TABLE holds (
    number  bigint      PRIMARY KEY,
    -- The code of the rule, with values.
    reason  jsonb       NOT NULL
        CHECK (reason ? 'code' AND reason ->> 'code' ~ '^[a-z_]{1,32}$' AND octet_length(reason::text) <= 8192),
    held_at timestamptz NOT NULL,
    settled boolean     NOT NULL DEFAULT false,
    -- The strongest treatment that its reports can trigger; NULL where the number itself is held.
    ceiling text        CHECK (ceiling IN ('nothing', 'identify')),
    -- The app that sent most of these reports, and since when its budget of labels lets them identify the number.
    app_id     integer,
    labeled_at timestamptz
);

-- The reporters whose reports caused a hold.
CREATE TABLE hold_reporters (
    number   bigint NOT NULL,
    reporter bytea  NOT NULL CHECK (length(reporter) = 16),
    PRIMARY KEY (number, reporter)
);

-- Bursts of reports that held no number because they were usual, as of the newest review that found one. For explanations.
CREATE TABLE usual_bursts (
    number    bigint      PRIMARY KEY,
    -- The code of what is usual with its values.
    reason    jsonb       NOT NULL
        CHECK (reason ? 'code' AND reason ->> 'code' ~ '^[a-z_]{1,32}$' AND octet_length(reason::text) <= 8192),
    judged_at timestamptz NOT NULL
);

-- Ranges

-- Rules for ranges of numbers: of moderators, operators and sources, and those that the detection proposes.
CREATE TABLE ranges (
    -- The first number of the range.
    number      bigint           NOT NULL CHECK (number > 0),
    pattern     text             NOT NULL CHECK (pattern ~ '^\+[0-9]{1,15}(x{1,13}|\*|-\+[0-9]{1,15})$'),
    -- The source whose list has the rule; 0 for all other rules.
    app_id      integer          NOT NULL,
    -- The digits that all numbers begin with.
    prefix      bigint           NOT NULL CHECK (prefix > 0),
    -- The first and the last number of each length.
    firsts      bigint[]         NOT NULL,
    lasts       bigint[]         NOT NULL,
    state       text             NOT NULL CHECK (state IN ('proposed', 'approved', 'rejected')),
    treatment   text             NOT NULL CHECK (treatment IN ('block', 'identify', 'allow')),
    category_id smallint         NOT NULL,
    label       text             CHECK (length(label) BETWEEN 1 AND 100),
    reason      text             CHECK (length(reason) BETWEEN 1 AND 500),
    -- Numbers with complaints at the last detection; 0 for a rule that was not detected.
    members     integer          NOT NULL CHECK (members >= 0),
    -- Sum of the heat of its numbers, stored as in numbers.
    heat        double precision NOT NULL CHECK (heat >= 0),
    valid_from  timestamptz,
    valid_until timestamptz,
    -- The account that added it; nobody for a detected rule.
    proposed_by text             CHECK (length(proposed_by) BETWEEN 1 AND 80),
    proposed_at timestamptz      NOT NULL,
    decided_at  timestamptz,
    decided_by  text             CHECK (length(decided_by) BETWEEN 1 AND 80),
    PRIMARY KEY (number, pattern, app_id),
    CHECK (cardinality(firsts) = cardinality(lasts) AND cardinality(firsts) BETWEEN 1 AND 15),
    CHECK ((state = 'proposed') = (decided_at IS NULL))
);
-- Rules for a number by its prefixes.
CREATE INDEX ranges_by_prefix ON ranges (prefix);

-- Protection

-- Patterns of numbers that may never be published.
CREATE TABLE protected_patterns (
    pattern    text        NOT NULL CHECK (pattern ~ '^\+[0-9x]{4,15}\*?$'),
    -- The source whose list has the pattern; 0 for patterns that people have added.
    app_id     integer     NOT NULL,
    reason     text        NOT NULL CHECK (length(reason) BETWEEN 1 AND 200),
    added_by   text        NOT NULL CHECK (length(added_by) BETWEEN 1 AND 80),
    added_at   timestamptz NOT NULL,
    -- When the protection ends; NULL for never. A job deletes the row then.
    expires_at timestamptz,
    PRIMARY KEY (pattern, app_id)
);

-- Single numbers that may never be published.
CREATE TABLE protected_numbers (
    number     bigint      NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    -- As in protected_patterns; -1 for a number whose owner has suppressed it. People and sources do not change that row.
    app_id     integer     NOT NULL,
    reason     text        NOT NULL CHECK (length(reason) BETWEEN 1 AND 200),
    added_by   text        NOT NULL CHECK (length(added_by) BETWEEN 1 AND 80),
    added_at   timestamptz NOT NULL,
    expires_at timestamptz,
    PRIMARY KEY (number, app_id)
);
-- Protections that end, and protections of a source.
CREATE INDEX protected_numbers_by_expiry ON protected_numbers (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX protected_numbers_by_source ON protected_numbers (app_id) WHERE app_id > 0;

-- Increases with every change of the two tables above. Servers cache both tables and compare the version.
CREATE TABLE protection_version (
    only_row boolean PRIMARY KEY CHECK (only_row),
    version  bigint  NOT NULL
);
INSERT INTO protection_version (only_row, version) VALUES (true, 1);

-- Queue

-- Cases: numbers that wait for review.
CREATE TABLE queue (
    number        bigint      PRIMARY KEY CHECK (number BETWEEN 1 AND 999999999999999),
    -- Bits of QueueCause.
    causes        smallint    NOT NULL CHECK (causes BETWEEN 1 AND 63),
    -- The smallest value is the most urgent; see Urgency.
    urgency       bigint      NOT NULL CHECK (urgency >= 0),
    -- ISO 3166 alpha-2; empty for numbers without a country.
    country       text        NOT NULL CHECK (country = '' OR country ~ '^[A-Z]{2}$'),
    category_id   smallint,
    since         timestamptz NOT NULL,
    -- The lowest role that may decide: 0 triage, 1 moderator, 2 administrator. Escalation increases it.
    level         smallint    NOT NULL DEFAULT 0 CHECK (level BETWEEN 0 AND 2),
    claim_id      uuid,
    claimed_by    text        CHECK (length(claimed_by) BETWEEN 1 AND 80),
    claimed_until timestamptz,
    -- When the account of the claim, or of the last one, opened the case.
    claimed_at    timestamptz,
    -- The account that the case was escalated to by name; other accounts can open it and are not offered it.
    assigned_to   text        CHECK (length(assigned_to) BETWEEN 1 AND 80),
    -- Whether the number has changed since the case was last evaluated.
    stale         boolean     NOT NULL DEFAULT false,
    -- Increases with every change of the causes.
    version       bigint      NOT NULL DEFAULT 1,
    -- Copies of the sums in numbers as of the last evaluation of the case, stored as in numbers, to sort cases by them.
    -- Without indexes, so that updates of cases stay heap-only.
    heat          double precision NOT NULL DEFAULT 0,
    reports       bigint      NOT NULL DEFAULT 0,
    CHECK ((claimed_by IS NULL) = (claimed_until IS NULL) AND (claimed_by IS NULL) = (claim_id IS NULL))
) WITH (fillfactor = 80);
CREATE INDEX queue_by_urgency ON queue (urgency, number);
CREATE INDEX queue_by_age ON queue (since, number);
-- Search by the last six digits.
CREATE INDEX queue_by_ending ON queue ((number % 1000000), number);
CREATE INDEX queue_stale ON queue (number) WHERE stale;

-- Accounts that were not sure about a number: the case is not offered to them again.
CREATE TABLE queue_passes (
    number    bigint      NOT NULL,
    account   text        NOT NULL CHECK (length(account) BETWEEN 1 AND 80),
    passed_at timestamptz NOT NULL,
    PRIMARY KEY (number, account)
);

-- Decisions that programs propose for cases, one of a program for a case. The case stays in the queue; its decision deletes
-- them.
CREATE TABLE case_proposals (
    number      bigint      NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    account     text        NOT NULL CHECK (length(account) BETWEEN 1 AND 80),
    -- Chosen by the program, the same for every retry.
    proposal_id uuid        NOT NULL,
    decision    text        NOT NULL CHECK (decision IN ('block', 'identify', 'allow')),
    label       text        CHECK (length(label) BETWEEN 1 AND 100),
    category_id smallint,
    reason      text        CHECK (length(reason) BETWEEN 1 AND 500),
    note        text        CHECK (length(note) BETWEEN 1 AND 2000),
    expires_at  timestamptz,
    proposed_at timestamptz NOT NULL,
    PRIMARY KEY (number, account)
);

-- Saved filters of the queue, with their order.
CREATE TABLE saved_filters (
    filter_id   uuid        PRIMARY KEY,
    account     text        NOT NULL CHECK (length(account) BETWEEN 1 AND 80),
    name        text        NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
    -- NULL for any; empty for numbers without a country.
    country     text        CHECK (country = '' OR country ~ '^[A-Z]{2}$'),
    category_id smallint,
    -- The bit of one QueueCause.
    cause       smallint    CHECK (cause BETWEEN 1 AND 32),
    days        integer     CHECK (days > 0),
    -- A value of QueueOrder.
    sort        text        NOT NULL CHECK (sort ~ '^[a-z]{1,32}$'),
    -- Whether all accounts see it.
    is_shared   boolean     NOT NULL,
    -- Whether it leaves out cases that are not assigned to the reader.
    is_mine     boolean     NOT NULL DEFAULT false,
    saved_at    timestamptz NOT NULL,
    UNIQUE (account, name)
);
CREATE INDEX saved_filters_shared ON saved_filters (name) WHERE is_shared;

-- Rules that assign cases to accounts: the queue shows them as theirs, and others may decide them too.
CREATE TABLE assignment_rules (
    rule_id     uuid        PRIMARY KEY,
    -- NULL for any.
    country     text        CHECK (country ~ '^[A-Z]{2}$'),
    category_id smallint,
    accounts    text[]      NOT NULL CHECK (cardinality(accounts) BETWEEN 1 AND 200),
    added_by    text        NOT NULL CHECK (length(added_by) BETWEEN 1 AND 80),
    added_at    timestamptz NOT NULL,
    CHECK (country IS NOT NULL OR category_id IS NOT NULL)
);

-- Versions of the texts that moderators choose from, with author and time. The newest is in force. Rows are never changed.
CREATE TABLE template_versions (
    version  integer     PRIMARY KEY CHECK (version > 0),
    saved_at timestamptz NOT NULL,
    saved_by text        NOT NULL CHECK (length(saved_by) BETWEEN 1 AND 80)
);

-- Common reasons and answers to appeals, by version. A list that a version does not have is built in.
CREATE TABLE templates (
    version     integer  NOT NULL REFERENCES template_versions,
    kind        text     NOT NULL CHECK (kind IN ('reason', 'answer')),
    language    text     NOT NULL CHECK (language IN ('de', 'en', 'es', 'fr', 'ru')),
    -- 0 for all categories without a list of their own.
    category_id smallint NOT NULL,
    place       smallint NOT NULL CHECK (place BETWEEN 1 AND 9),
    -- Whether the text is the code of a message.
    is_built_in boolean  NOT NULL,
    text        text     NOT NULL CHECK (length(text) BETWEEN 1 AND 2000),
    PRIMARY KEY (version, kind, language, category_id, place)
);

-- Bulk decisions: one decision for many numbers, with the data to finish an interrupted one.
CREATE TABLE bulks (
    bulk_id         uuid        PRIMARY KEY,
    account         text        NOT NULL CHECK (length(account) BETWEEN 1 AND 80),
    decision        text        NOT NULL CHECK (decision IN ('block', 'identify', 'allow')),
    label           text        CHECK (length(label) BETWEEN 1 AND 100),
    -- NULL: the category with the most heat of each number.
    category_id     smallint,
    reason          text        CHECK (length(reason) BETWEEN 1 AND 500),
    -- The length of chosen_numbers.
    numbers         integer     NOT NULL CHECK (numbers BETWEEN 1 AND 100000),
    chosen_numbers  bigint[]    NOT NULL CHECK (cardinality(chosen_numbers) BETWEEN 1 AND 100000),
    -- Of a file with different decisions: the decisions as JSON, and the place of each chosen number's decision among
    -- them, from 0. NULL where all numbers have the decision above.
    row_decisions   jsonb,
    row_places      integer[],
    -- The count of decisions about each chosen number when the bulk decision began. A number with more has a newer
    -- decision, and is skipped when the bulk decision is finished later.
    decision_counts integer[]   NOT NULL,
    decided_at      timestamptz NOT NULL,
    -- The time at which its last batch was stored.
    heartbeat_at    timestamptz NOT NULL,
    -- The time at which all batches were stored, by the clock of heartbeat_at: a later heartbeat is of an undoing.
    finished_at     timestamptz,
    undone_at       timestamptz,
    undone_by       text        CHECK (length(undone_by) BETWEEN 1 AND 80),
    -- When the decisions expire; NULL for never.
    expires_at      timestamptz,
    CHECK (cardinality(decision_counts) = cardinality(chosen_numbers)),
    CHECK ((row_decisions IS NULL) = (row_places IS NULL)),
    CHECK (row_places IS NULL OR cardinality(row_places) = cardinality(chosen_numbers)),
    CHECK ((undone_at IS NULL) = (undone_by IS NULL))
);
CREATE INDEX bulks_unfinished ON bulks (decided_at) WHERE finished_at IS NULL AND undone_at IS NULL;

-- The decisions of each bulk decision.
CREATE TABLE bulk_decisions (
    number      bigint NOT NULL,
    decision_id uuid   NOT NULL,
    bulk_id     uuid   NOT NULL,
    PRIMARY KEY (number, decision_id)
);
CREATE INDEX bulk_decisions_by_bulk ON bulk_decisions (bulk_id);

-- Appeals

-- Appeals of number owners. A number has at most one open appeal.
CREATE TABLE appeals (
    number      bigint      NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    appeal_id   uuid        NOT NULL,
    state       text        NOT NULL CHECK (state IN ('open', 'upheld', 'rejected')),
    statement   text        NOT NULL CHECK (length(statement) BETWEEN 1 AND 2000),
    filed_at    timestamptz NOT NULL,
    answered_by text        CHECK (length(answered_by) BETWEEN 1 AND 80),
    answered_at timestamptz,
    answer      text        CHECK (length(answer) BETWEEN 1 AND 2000),
    -- The decision that upheld the appeal. Undoing the decision opens the appeal again.
    decision_id uuid,
    -- Level and colleague of the case when the appeal was rejected. Undoing the rejection restores both.
    case_level       smallint CHECK (case_level BETWEEN 0 AND 2),
    case_assigned_to text     CHECK (length(case_assigned_to) BETWEEN 1 AND 80),
    -- Whether somebody who proved control of the number objects to the processing. Its answer needs a note that balances the
    -- interests.
    is_objection boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (number, appeal_id),
    CHECK ((state = 'open') = (answered_at IS NULL))
);
CREATE INDEX appeals_open ON appeals (filed_at, number, appeal_id) WHERE state = 'open';
CREATE INDEX appeals_answered ON appeals (answered_at, number, appeal_id) WHERE state <> 'open';

-- The statement of each person who filed a form. Several forms about one number share its open appeal.
CREATE TABLE appeal_filings (
    number      bigint      NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    -- Hash of the person's ticket.
    ticket_hash bytea       NOT NULL CHECK (length(ticket_hash) = 32),
    appeal_id   uuid        NOT NULL,
    statement   text        NOT NULL CHECK (length(statement) BETWEEN 1 AND 2000),
    filed_at    timestamptz NOT NULL,
    -- Keyed hashes of the sender's network and of the larger one around it; NULL after 30 days.
    network     bytea       CHECK (length(network) = 8),
    area        bytea       CHECK (length(area) = 8),
    -- An appeal shows a limited number of statements. A new statement displaces one of the network with the most; the
    -- displaced statement's ticket still gives the answer.
    displaced   boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (number, ticket_hash)
);
-- Finds a ticket without its number. Not unique, because a unique index of a distributed table must include the number.
CREATE INDEX appeal_filings_by_ticket ON appeal_filings (ticket_hash);
CREATE INDEX appeal_filings_with_networks ON appeal_filings (filed_at) WHERE network IS NOT NULL;

-- Contact details of people who filed a form; deleted at purge_at, 30 days after the answer.
CREATE TABLE appeal_contacts (
    number      bigint      NOT NULL,
    ticket_hash bytea       NOT NULL CHECK (length(ticket_hash) = 32),
    appeal_id   uuid        NOT NULL,
    contact     text        NOT NULL CHECK (length(contact) BETWEEN 1 AND 200),
    -- The language of the form.
    language    text        NOT NULL DEFAULT 'en' CHECK (length(language) BETWEEN 2 AND 8),
    purge_at    timestamptz,
    PRIMARY KEY (number, ticket_hash)
);
CREATE INDEX appeal_contacts_due ON appeal_contacts (purge_at) WHERE purge_at IS NOT NULL;

-- Used form stamps: each is accepted once. A row is deleted after its form has expired.
CREATE TABLE used_form_stamps (
    stamp      bytea       PRIMARY KEY CHECK (length(stamp) = 16),
    expires_at timestamptz NOT NULL
);
CREATE INDEX used_form_stamps_by_age ON used_form_stamps (expires_at);

-- Directory

-- Sources of business names. If two sources name a number, the one with the lower priority value is used.
CREATE TABLE directory_sources (
    source_id   integer     GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name        text        NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 80),
    priority    integer     NOT NULL,
    -- The current generation of entries; NULL before the first import has ended.
    generation  integer,
    entries     bigint      NOT NULL DEFAULT 0 CHECK (entries >= 0),
    imported_at timestamptz
);

-- Each import fills its own table and attaches it in the transaction that makes its generation current, so that a new
-- file replaces the old one at once. The old entries are removed by dropping their table.
CREATE SEQUENCE directory_generations AS integer;

-- Directory entries, by generation.
CREATE TABLE directory_entries (
    number     bigint  NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    generation integer NOT NULL,
    -- Count of rows in the file with the number.
    mentions   integer NOT NULL CHECK (mentions > 0),
    name       text    NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 1000),
    category   text    CHECK (octet_length(category) BETWEEN 1 AND 200),
    PRIMARY KEY (number, generation)
) PARTITION BY LIST (generation);
-- Search by the beginnings of words.
CREATE INDEX directory_entries_words ON directory_entries USING gin (to_tsvector('simple', name));

-- Regions

-- Regions defined by prefixes. Countries need no rows.
CREATE TABLE regions (
    code text PRIMARY KEY CHECK (code ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,22}$'),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200)
);

-- Prefixes of E.164 digits; the longest matching prefix determines the region.
CREATE TABLE region_prefixes (
    prefix bigint PRIMARY KEY CHECK (prefix BETWEEN 1 AND 999999999999999),
    region text   NOT NULL REFERENCES regions
);

-- Sources

-- Sources that are downloaded at intervals, and the outcome of the last download.
CREATE TABLE source_feeds (
    -- The list's row in apps.
    app_id        integer     PRIMARY KEY,
    name          text        NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 80),
    url           text        NOT NULL CHECK (length(url) BETWEEN 1 AND 2000),
    -- A value of SourceFormat.
    format        text        NOT NULL CHECK (format ~ '^[a-z-]{1,32}$'),
    every_seconds integer     NOT NULL CHECK (every_seconds BETWEEN 30 AND 2678400),
    -- How entries are read: JSON, see SourceOptions.
    options       text        NOT NULL CHECK (octet_length(options) <= 65536),
    -- The strongest action that the source can trigger alone.
    ceiling       text        NOT NULL CHECK (ceiling IN ('nothing', 'review', 'identify', 'block')),
    license       text        CHECK (length(license) BETWEEN 1 AND 200),
    added_at      timestamptz NOT NULL,
    -- Of a removed source only the ceiling is used: its complaints stay.
    removed_at    timestamptz,
    next_at       timestamptz NOT NULL,
    -- Of the last file that was read.
    etag          text        CHECK (length(etag) <= 1000),
    last_modified text        CHECK (length(last_modified) <= 100),
    -- The version of a list that also sends its changes, and when the complete list was read last.
    list_version  bigint,
    complete_at   timestamptz,
    refreshed_at  timestamptz,
    entries       bigint      NOT NULL DEFAULT 0,
    -- Failed attempts since the last success, and the reason of the last one: a code with values.
    failures      integer     NOT NULL DEFAULT 0 CHECK (failures >= 0),
    failed_at     timestamptz,
    error         jsonb       CHECK (error ? 'code' AND octet_length(error::text) <= 8192),
    -- The most entries that a complete list may add, or remove, in percent of the former ones.
    most_change_percent integer NOT NULL DEFAULT 50,
    -- Whether private addresses are refused: the source was added on a page.
    public_address boolean NOT NULL DEFAULT false,
    -- Numbers of the source that a decision in force blocks or identifies, and numbers that one allows.
    confirmed     bigint      NOT NULL DEFAULT 0,
    wrong         bigint      NOT NULL DEFAULT 0,
    -- When both were counted.
    judged_at     timestamptz,
    -- Since when the source is suspended: its complaints are ignored.
    suspended_at  timestamptz,
    -- The weight of an entry when it was suspended; NULL where it is not.
    suspended_weight real,
    -- When the last suspension was lifted. Only later decisions suspend the source again.
    resumed_at    timestamptz,
    -- Subscriptions to publications of other servers: the state with which a publication is verified.
    -- The id of the server that publishes the list: 16 hex digits.
    server_id     text,
    -- The newest publication that was accepted, by its serial and the SHA-256 of its signed part, and the newest root.
    -- No serial ever falls.
    seen_serial   bigint,
    seen_sha256   text,
    root_serial   bigint,
    root          bytea,
    -- The SHA-256 of the file that the entries are from; NULL where it must be read again. The generation rises whenever
    -- something makes that necessary, even while the file is being read.
    list_sha256   text,
    generation    integer     NOT NULL DEFAULT 0,
    -- When the publication of the entity tag expires.
    expires_at    timestamptz,
    -- SHA-256 of the file that a refresh has begun to store and has not finished: after an interruption it is read
    -- again, and no limit of changes refuses its rest.
    changing_sha256 text,
    -- Whether the last publication does not have the numbers of the source as they are now: they were read for the first
    -- time, their ceiling was changed, a suspension was ended, or the source was removed. The gates of the next one expect
    -- the effects.
    awaits_publication boolean NOT NULL DEFAULT true,
    -- Entries that this refresh has done, and all of its file; NULL where none is running or was interrupted.
    progress      bigint,
    progress_goal bigint
);
CREATE INDEX source_feeds_next ON source_feeds (next_at) WHERE removed_at IS NULL;

-- The numbers on the lists of sources. Their reports come from the last refresh whose file contained the number, and
-- are deleted when a file does not.
CREATE TABLE source_entries (
    app_id      integer     NOT NULL,
    number      bigint      NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    category_id smallint    NOT NULL,
    -- The time of its reports: the start of a day in UTC.
    reported_at timestamptz NOT NULL,
    -- The weight of a report, and the number of reports: 0 while the number of a removed entry is to be revoked.
    weight      real        NOT NULL,
    complaints  smallint    NOT NULL CHECK (complaints >= 0),
    -- The ids of the servers with evidence of their own about the number; empty for entries of other formats.
    origins     text[]      NOT NULL DEFAULT '{}',
    -- How many servers have passed the evidence on, the publisher of the file included; 0 for its own evidence and for
    -- lists of other formats.
    hops        smallint    NOT NULL DEFAULT 0,
    PRIMARY KEY (app_id, number)
);

-- Publications

-- Attempts at a publication and their results. A row is inserted when its serial is claimed.
CREATE TABLE publications (
    serial          bigint      PRIMARY KEY CHECK (serial > 0),
    state           text        NOT NULL CHECK (state IN ('running', 'published', 'refused', 'failed')),
    cause           text        NOT NULL DEFAULT 'schedule' CHECK (cause IN ('schedule', 'command', 'order', 'revocation')),
    -- The time at which scores were evaluated.
    as_of           timestamptz NOT NULL,
    -- Token of the process that makes it. This and the next two columns are NULL for a publication that was found in
    -- the folder without a row in the database.
    claim           uuid,
    started_at      timestamptz,
    heartbeat_at    timestamptz,
    -- Codes with values: `step` is the current step, `failure` the reason of a refusal or failure.
    step            jsonb       CHECK (step ? 'code' AND octet_length(step::text) <= 8192),
    percent         smallint    NOT NULL DEFAULT 0 CHECK (percent BETWEEN 0 AND 100),
    failure         jsonb       CHECK (failure ? 'code' AND octet_length(failure::text) <= 8192),
    published_at    timestamptz,
    manifest_sha256 bytea       CHECK (length(manifest_sha256) = 32),
    CONSTRAINT running_has_heartbeat
        CHECK (state <> 'running' OR (started_at IS NOT NULL AND heartbeat_at IS NOT NULL)),
    CONSTRAINT published_is_complete
        CHECK (state <> 'published' OR (published_at IS NOT NULL AND manifest_sha256 IS NOT NULL))
);

-- The packs of a publication.
CREATE TABLE publication_packs (
    serial      bigint NOT NULL REFERENCES publications,
    name        text   NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
    kind        text   NOT NULL,
    -- The publication that made the pack; lower than serial if the pack has not changed since.
    pack_serial bigint NOT NULL,
    entries     bigint NOT NULL CHECK (entries >= 0),
    size_bytes  bigint NOT NULL CHECK (size_bytes >= 0),
    delta_bytes bigint CHECK (delta_bytes >= 0),
    PRIMARY KEY (serial, name)
);

-- The results of the gates of a publication.
CREATE TABLE publication_gates (
    serial        bigint  NOT NULL REFERENCES publications,
    gate          text    NOT NULL,
    -- Empty for a gate that checks the publication instead of one pack.
    pack          text    NOT NULL,
    passed        boolean NOT NULL,
    -- A code with values.
    finding       jsonb   NOT NULL CHECK (finding ? 'code' AND octet_length(finding::text) <= 8192),
    overruled_by  text    CHECK (length(overruled_by) BETWEEN 1 AND 80),
    overruled_why text    CHECK (length(overruled_why) BETWEEN 1 AND 1000),
    PRIMARY KEY (serial, gate, pack),
    CHECK ((overruled_by IS NULL) = (overruled_why IS NULL))
);

-- The numbers of the newest publication, except numbers that only a directory names.
CREATE TABLE listings (
    number      bigint      PRIMARY KEY,
    category_id smallint    NOT NULL,
    -- 0 reports, 1 a decision, 2 a rule for a range. The limits to leave apply only to numbers listed by reports.
    cause       smallint    NOT NULL DEFAULT 0 CHECK (cause BETWEEN 0 AND 2),
    -- 0 may be blocked, 1 is only identified.
    treatment   smallint    NOT NULL DEFAULT 0 CHECK (treatment BETWEEN 0 AND 1),
    -- Since when it is listed with this treatment.
    serial      bigint      NOT NULL,
    listed_at   timestamptz NOT NULL,
    -- The first eight bytes of the SHA-1 of the number with its plus sign, as a signed integer in network byte order.
    sha1        bigint
);
-- Lookups by the first four bytes of the SHA-256 of the number with its plus sign.
CREATE INDEX listings_by_hash ON listings (substr(sha256(('+' || number::text)::bytea), 1, 4));
-- Lookups by SHA-1, as the clients of PhoneBlock ask.
CREATE INDEX listings_by_sha1 ON listings (sha1);
-- Search by the last six digits.
CREATE INDEX listings_by_ending ON listings ((number % 1000000), number);

-- The reasons of listings, as of the publication that began or changed them. Rows are kept for a while after their end.
CREATE TABLE statements (
    number            bigint      NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    -- Random: names the statement in public exports, and reveals nothing about the number.
    statement_id      uuid        NOT NULL,
    category_id       smallint    NOT NULL,
    -- As in listings.
    cause             smallint    NOT NULL CHECK (cause BETWEEN 0 AND 2),
    treatment         smallint    NOT NULL CHECK (treatment BETWEEN 0 AND 1),
    -- The decision in force, of a listing by a decision.
    decision_id       uuid,
    -- Whether a program decided.
    is_by_program     boolean     NOT NULL,
    -- The figures of that moment: counts of reports and reporters, days with complaints, the imported lists with the number.
    reports           bigint      NOT NULL,
    reporters         integer     NOT NULL,
    days              integer     NOT NULL,
    sources           integer[]   NOT NULL,
    first_reported_at timestamptz,
    last_reported_at  timestamptz,
    -- The version of the thresholds.
    thresholds        integer     NOT NULL,
    serial            bigint      NOT NULL,
    stated_at         timestamptz NOT NULL,
    ended_at          timestamptz,
    PRIMARY KEY (number, statement_id)
);
CREATE INDEX statements_by_time ON statements (stated_at);
CREATE INDEX statements_ended ON statements (ended_at) WHERE ended_at IS NOT NULL;

-- The ranges that the newest publication lists because of rules, without overlaps. A number with a row in listings has the
-- treatment of that row.
CREATE TABLE listed_ranges (
    first_number bigint      PRIMARY KEY CHECK (first_number > 0),
    last_number  bigint      NOT NULL,
    category_id  smallint    NOT NULL,
    -- 0 may be blocked, 1 is only identified.
    treatment    smallint    NOT NULL CHECK (treatment BETWEEN 0 AND 1),
    label        text        CHECK (length(label) BETWEEN 1 AND 100),
    -- The rule.
    pattern      text        NOT NULL,
    -- Since when the rule is listed.
    serial       bigint      NOT NULL,
    listed_at    timestamptz NOT NULL,
    CHECK (first_number <= last_number)
);

-- Revocations: single numbers that are removed from, or added to, the published packs before the next scheduled
-- publication.
CREATE TABLE revocations (
    revocation_id uuid        PRIMARY KEY,
    number        bigint      NOT NULL CHECK (number > 0),
    -- 'unlist' (from a decision to allow) removes the number from packs of reports; a directory may still name it.
    -- 'remove' removes it from every pack while the decision of the same id is the newest.
    action        text        NOT NULL CHECK (action IN ('remove', 'unlist', 'add')),
    category_id   smallint,
    label         text        CHECK (length(label) BETWEEN 1 AND 200),
    reason        text        NOT NULL CHECK (length(reason) BETWEEN 1 AND 1000),
    requested_by  text        NOT NULL CHECK (length(requested_by) BETWEEN 1 AND 80),
    requested_at  timestamptz NOT NULL,
    -- The publication that contains the change.
    serial        bigint      REFERENCES publications,
    settled_at    timestamptz,
    failure       jsonb       CHECK (failure ? 'code' AND octet_length(failure::text) <= 8192),
    CHECK (action <> 'add' OR category_id IS NOT NULL OR label IS NOT NULL)
);
CREATE INDEX revocations_open ON revocations (requested_at) WHERE settled_at IS NULL;
CREATE INDEX revocations_removed ON revocations (number) WHERE action = 'remove';

-- Rights

-- Codes that prove control of a number, at most three a day.
CREATE TABLE owner_codes (
    number     bigint      NOT NULL,
    -- The UTC day, in days since 1970-01-01, and the place among its codes.
    day        integer     NOT NULL,
    place      smallint    NOT NULL CHECK (place BETWEEN 1 AND 3),
    -- Keyed hash of number and code.
    code_hash  bytea       NOT NULL CHECK (length(code_hash) = 32),
    expires_at timestamptz NOT NULL,
    attempts   smallint    NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 5),
    used_at    timestamptz,
    -- Whether the operator's gateway got it, which has a daily limit.
    is_sent    boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (number, day, place)
);

-- Passes of people who have entered a code; each opens the pages of one number for an hour.
CREATE TABLE owner_passes (
    -- SHA-256 of the pass.
    pass_hash  bytea       PRIMARY KEY CHECK (length(pass_hash) = 32),
    number     bigint      NOT NULL,
    expires_at timestamptz NOT NULL
);

-- Events

-- Receivers of webhooks, from the settings of the server that started last. Commands use them too.
CREATE TABLE webhook_receivers (
    url text PRIMARY KEY CHECK (length(url) BETWEEN 1 AND 2000)
);

-- Messages about events, one for each receiver, written in the transaction that makes the event.
CREATE TABLE outbox (
    message_id      uuid        PRIMARY KEY,
    event_id        uuid        NOT NULL,
    event           text        NOT NULL CHECK (length(event) BETWEEN 1 AND 40),
    -- The URL of a webhook, or mailto: and an address.
    receiver        text        NOT NULL CHECK (length(receiver) BETWEEN 1 AND 2000),
    language        text        CHECK (length(language) BETWEEN 2 AND 8),
    body            text        NOT NULL CHECK (length(body) <= 65536),
    created_at      timestamptz NOT NULL,
    attempts        integer     NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_attempt_at timestamptz NOT NULL,
    delivered_at    timestamptz,
    last_error      jsonb       CHECK (last_error ? 'code' AND octet_length(last_error::text) <= 8192)
);
CREATE INDEX outbox_due ON outbox (next_attempt_at) WHERE delivered_at IS NULL;

-- Accounts

-- Accounts of the moderation site.
CREATE TABLE accounts (
    account_id   integer     GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name         text        NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 80),
    role         text        NOT NULL CHECK (role IN ('triage', 'moderator', 'administrator')),
    -- NULL for the browser's language.
    language     text        CHECK (language IN ('de', 'en', 'es', 'fr', 'ru')),
    -- scrypt$LOG2_N$R$P$SALT$HASH; salt and hash in base64.
    password     text        CHECK (length(password) BETWEEN 20 AND 300),
    -- Encrypted with a key that is not in the database.
    totp_secret  bytea       CHECK (length(totp_secret) BETWEEN 20 AND 200),
    -- The newest 30-second step with an accepted code; each code is accepted once.
    totp_step    bigint      NOT NULL DEFAULT 0,
    sign_ins     integer     NOT NULL DEFAULT 0 CHECK (sign_ins >= 0),
    created_at   timestamptz NOT NULL,
    signed_in_at timestamptz,
    disabled_at  timestamptz,
    -- NULL for the standard keys. Otherwise 'on' or 'off', then a pair 'action=key' for each action, separated by
    -- spaces; an action without a key has an empty one.
    shortcuts    text,
    -- Where mails about events go, and the kinds of events that the account chose.
    mail_address text        CHECK (length(mail_address) BETWEEN 3 AND 200),
    mail_events  text[]      NOT NULL DEFAULT '{}' CHECK (array_length(mail_events, 1) <= 20)
);

-- Recovery codes: each is accepted once in place of a second factor.
CREATE TABLE recovery_codes (
    account_id integer NOT NULL REFERENCES accounts,
    code_hash  bytea   NOT NULL CHECK (length(code_hash) = 32),
    PRIMARY KEY (account_id, code_hash)
);

-- Sign-in links from administrators or the command line; each opens one session.
CREATE TABLE sign_in_links (
    token_hash bytea       PRIMARY KEY CHECK (length(token_hash) = 32),
    account_id integer     NOT NULL REFERENCES accounts,
    expires_at timestamptz NOT NULL
);

-- Sign-ins after the first factor and before the second.
CREATE TABLE sign_in_steps (
    token_hash bytea       PRIMARY KEY CHECK (length(token_hash) = 32),
    account_id integer     NOT NULL REFERENCES accounts,
    -- The first factor.
    way        text        NOT NULL CHECK (way IN ('link', 'password', 'sign_on')),
    expires_at timestamptz NOT NULL
);

-- Open sessions.
CREATE TABLE sessions (
    token_hash bytea       PRIMARY KEY CHECK (length(token_hash) = 32),
    -- Identifies the session when another session ends it; grants no access.
    session_id uuid        NOT NULL UNIQUE,
    account_id integer     NOT NULL REFERENCES accounts,
    -- Name of browser and system.
    browser    text        NOT NULL DEFAULT '' CHECK (length(browser) <= 80),
    opened_at  timestamptz NOT NULL,
    seen_at    timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_by_account ON sessions (account_id);

-- Browsers that have signed in to an account. Failed attempts from unknown browsers do not throttle them.
CREATE TABLE known_browsers (
    account_id integer     NOT NULL REFERENCES accounts,
    token_hash bytea       NOT NULL CHECK (length(token_hash) = 32),
    seen_at    timestamptz NOT NULL,
    PRIMARY KEY (account_id, token_hash)
);

-- Accounts that sign in with an identity provider, by the provider's name for the person.
CREATE TABLE account_identities (
    issuer     text        NOT NULL CHECK (length(issuer) BETWEEN 1 AND 2000),
    subject    text        NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
    account_id integer     NOT NULL UNIQUE REFERENCES accounts,
    tied_at    timestamptz NOT NULL,
    PRIMARY KEY (issuer, subject)
);

-- Passkeys (Web Authentication).
CREATE TABLE passkeys (
    credential_id bytea       PRIMARY KEY CHECK (length(credential_id) BETWEEN 16 AND 1023),
    account_id    integer     NOT NULL REFERENCES accounts,
    -- COSE_Key (RFC 9052).
    public_key    bytea       NOT NULL CHECK (length(public_key) BETWEEN 30 AND 2000),
    -- The authenticator's counter of signatures; always 0 if it does not count.
    counter       bigint      NOT NULL CHECK (counter BETWEEN 0 AND 4294967295),
    name          text        NOT NULL CHECK (length(name) BETWEEN 1 AND 80),
    added_at      timestamptz NOT NULL,
    used_at       timestamptz
);
CREATE INDEX passkeys_by_account ON passkeys (account_id);

-- Used challenges of sign-ins and passkeys: each is accepted once. A row is deleted after its challenge has expired.
CREATE TABLE used_challenges (
    digest     bytea       PRIMARY KEY CHECK (length(digest) = 32),
    expires_at timestamptz NOT NULL
);
CREATE INDEX used_challenges_by_age ON used_challenges (expires_at);

-- Failed sign-ins.
CREATE TABLE sign_in_attempts (
    -- Keyed hash of an account, a network or a known browser.
    subject      bytea       PRIMARY KEY CHECK (length(subject) = 32),
    failures     integer     NOT NULL CHECK (failures >= 0),
    last_at      timestamptz NOT NULL,
    closed_until timestamptz NOT NULL
);
CREATE INDEX sign_in_attempts_by_time ON sign_in_attempts (last_at);

-- Fingerprint of the key that encrypts the accounts' secrets. A server with another key could not verify codes.
CREATE TABLE account_key (
    only_row    boolean PRIMARY KEY CHECK (only_row),
    fingerprint bytea   NOT NULL CHECK (length(fingerprint) = 32)
);

-- Audit log

-- Changes with actor, time and reason.
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

-- The log is append-only. The trigger refuses manual changes; the program makes none.
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'The audit log is append-only: % is refused.', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- Where a server writes the events, from the setting of the server that started last. No row where there is none.
CREATE TABLE audit_output (
    only_row   boolean     PRIMARY KEY CHECK (only_row),
    target     text        NOT NULL CHECK (length(target) BETWEEN 1 AND 2000),
    started_at timestamptz NOT NULL
);

-- Events that are still to be written there, stored in the transaction of the event and deleted after their delivery.
CREATE TABLE audit_outbox (
    outbox_id   bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    happened_at timestamptz NOT NULL,
    event_id    uuid        NOT NULL
);

-- Jobs

-- Leases: the server that currently does a job. They avoid duplicate work; correctness does not depend on them.
CREATE TABLE job_leases (
    job        text        PRIMARY KEY,
    holder     uuid        NOT NULL,
    host       text        NOT NULL,
    expires_at timestamptz NOT NULL
);

-- Background jobs: previews of thresholds, one for each account, and publications, one open at a time.
CREATE TABLE background_jobs (
    job_id       uuid        PRIMARY KEY,
    kind         text        NOT NULL CHECK (kind IN ('preview', 'publication')),
    account      text        NOT NULL CHECK (length(account) BETWEEN 1 AND 80),
    -- JSON, by kind.
    request      text        NOT NULL CHECK (octet_length(request) <= 65536),
    -- 'broken': its server has stopped sending heartbeats.
    state        text        NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed', 'broken')),
    asked_at     timestamptz NOT NULL,
    -- The process that runs it.
    server       uuid,
    heartbeat_at timestamptz NOT NULL,
    -- A code with values.
    step         jsonb       CHECK (step ? 'code' AND octet_length(step::text) <= 8192),
    -- JSON, by kind.
    outcome      text        CHECK (octet_length(outcome) <= 1048576),
    expires_at   timestamptz NOT NULL,
    CHECK (state <> 'running' OR server IS NOT NULL)
);
-- One job of a kind runs at a time, one publication is open at a time, and an account has one preview.
CREATE UNIQUE INDEX background_jobs_running ON background_jobs (kind) WHERE state = 'running';
CREATE UNIQUE INDEX background_jobs_publication ON background_jobs (kind) WHERE kind = 'publication' AND state IN ('waiting', 'running');
CREATE UNIQUE INDEX background_jobs_preview ON background_jobs (account) WHERE kind = 'preview';

-- Statistics

-- Counts by day for the start page, updated every few minutes.
CREATE TABLE daily_statistics (
    day       date   NOT NULL,
    -- See StatisticsStore.Statistic.
    statistic text   NOT NULL CHECK (statistic ~ '^[a-z_]{1,32}$'),
    value     bigint NOT NULL,
    PRIMARY KEY (day, statistic)
);

-- Reports that arrived before this time are counted. No row before the first count.
CREATE TABLE statistics_watermarks (
    statistic     text        PRIMARY KEY,
    counted_until timestamptz NOT NULL
);

-- PhoneBlock

-- Numbers that a user of an app blocks or allows alone, through the API of PhoneBlock. They change no score.
CREATE TABLE personal_numbers (
    -- Pseudonym of the app's user, as in reports.
    reporter   bytea       NOT NULL CHECK (length(reporter) = 16),
    number     bigint      NOT NULL CHECK (number BETWEEN 1 AND 999999999999999),
    -- Whether the entry is for all numbers that begin with these digits.
    is_prefix  boolean     NOT NULL,
    -- Blocked, or allowed.
    is_blocked boolean     NOT NULL,
    -- The API key that the entry arrived with.
    key_id     integer     NOT NULL,
    added_at   timestamptz NOT NULL,
    PRIMARY KEY (reporter, number, is_prefix)
);
CREATE INDEX personal_numbers_by_key ON personal_numbers (key_id);
