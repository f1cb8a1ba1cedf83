-- expand

-- NULL for the standard keys. Otherwise 'on' or 'off', then a pair 'action=key' for each action, separated by spaces; an
-- action without a key has an empty one.
ALTER TABLE accounts ADD COLUMN shortcuts text;
