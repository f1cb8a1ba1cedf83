-- expand
-- The input of the last form that passed the case on: an object with label, answer and note.
ALTER TABLE queue ADD COLUMN draft jsonb;
