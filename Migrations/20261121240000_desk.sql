-- What pages have ordered and a server makes beside the requests; and what a bulk needs, so that it can be finished.

-- Orders: previews of thresholds, one an account, and publications, of which one is open at a time. Local to one node.
-- request, outcome: JSON, see who makes them. server: whose process makes it. heartbeat_at: its last sign of life.
CREATE TABLE background_jobs (
    job_id       uuid        PRIMARY KEY,
    kind         text        NOT NULL CHECK (kind IN ('preview', 'publication')),
    account      text        NOT NULL CHECK (length(account) BETWEEN 1 AND 80),
    request      text        NOT NULL CHECK (octet_length(request) <= 65536),
    state        text        NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed', 'broken')),
    asked_at     timestamptz NOT NULL,
    server       uuid,
    heartbeat_at timestamptz NOT NULL,
    step         text        NOT NULL DEFAULT '' CHECK (length(step) <= 200),
    outcome      text        CHECK (octet_length(outcome) <= 1048576),
    expires_at   timestamptz NOT NULL,
    CHECK (state <> 'running' OR server IS NOT NULL)
);

-- One of a kind is made at a time, whatever servers there are.
CREATE UNIQUE INDEX background_jobs_running ON background_jobs (kind) WHERE state = 'running';
CREATE UNIQUE INDEX background_jobs_order ON background_jobs (kind) WHERE kind = 'publication' AND state IN ('waiting', 'running');
CREATE UNIQUE INDEX background_jobs_preview ON background_jobs (account) WHERE kind = 'preview';

-- chosen: the numbers that were to be decided about; none for bulks of former versions. touched_at: the last batch.
-- finished_at: when all batches had been gone through.
ALTER TABLE bulks
    ADD COLUMN label       text CHECK (length(label) BETWEEN 1 AND 100),
    ADD COLUMN category_id smallint,
    ADD COLUMN chosen      bigint[] CHECK (cardinality(chosen) BETWEEN 1 AND 1000),
    ADD COLUMN touched_at  timestamptz,
    ADD COLUMN finished_at timestamptz;
UPDATE bulks SET touched_at = decided_at, finished_at = decided_at;
CREATE INDEX bulks_unfinished ON bulks (decided_at) WHERE finished_at IS NULL AND undone_at IS NULL;
