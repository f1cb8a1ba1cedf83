-- expand
-- The outcome of an appeal that an answer is for, uphold or reject; NULL for either.
ALTER TABLE templates ADD COLUMN outcome text;
