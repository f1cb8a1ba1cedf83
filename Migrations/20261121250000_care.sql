-- Where each filing of an appeal came from, as keyed hashes that are forgotten after 30 days: when all places of an appeal
-- are taken, whoever has the most gives one up. crowded_out: it gave up its place; its ticket still leads to the answer.
ALTER TABLE appeal_filings
    ADD COLUMN network     bytea CHECK (length(network) = 8),
    ADD COLUMN area        bytea CHECK (length(area) = 8),
    ADD COLUMN crowded_out boolean NOT NULL DEFAULT false;
CREATE INDEX appeal_filings_with_networks ON appeal_filings (filed_at) WHERE network IS NOT NULL;
