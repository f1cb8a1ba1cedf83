-- expand

-- When the decision expires. Programs of an earlier version leave it unchanged, so only the row of decisions is reliable.
ALTER TABLE number_decisions ADD COLUMN expires_at timestamptz;
