-- expand

-- When the decision expires; NULL for never. Of an undoing: when the decision that it ended had expired; NULL for an
-- undoing by a person.
ALTER TABLE decisions ADD COLUMN expires_at timestamptz;
