-- expand
-- The language of the form; NULL for statements of older programs.
ALTER TABLE appeal_filings ADD COLUMN language text;
