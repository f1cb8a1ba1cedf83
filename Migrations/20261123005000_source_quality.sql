-- expand
-- The precision of sources by decisions, their suspension, and the limits of a download.
ALTER TABLE source_feeds
    -- The most entries that a complete list may add, or remove, in percent of the former ones.
    ADD COLUMN most_change_percent integer NOT NULL DEFAULT 50,
    -- Whether private addresses are refused: the source was added on a page.
    ADD COLUMN public_address boolean NOT NULL DEFAULT false,
    -- Numbers of the source that a decision in force blocks or identifies, and that one allows.
    ADD COLUMN confirmed bigint NOT NULL DEFAULT 0,
    ADD COLUMN wrong bigint NOT NULL DEFAULT 0,
    -- When both were counted.
    ADD COLUMN judged_at timestamptz,
    -- Since when the source is suspended: it counts for nothing.
    ADD COLUMN suspended_at timestamptz,
    -- The weight of an entry when it was suspended; NULL where it is not.
    ADD COLUMN suspended_weight real,
    -- When the last suspension was lifted. Only later decisions suspend the source again.
    ADD COLUMN resumed_at timestamptz;
