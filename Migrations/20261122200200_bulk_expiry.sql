-- expand

-- When the decisions expire; NULL for never.
ALTER TABLE bulks ADD COLUMN expires_at timestamptz;
