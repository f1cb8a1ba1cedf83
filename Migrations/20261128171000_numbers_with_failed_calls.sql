-- expand
-- Whether a report of a trusted sender has ever said that verification failed: reports of other numbers are not read for it.
ALTER TABLE numbers ADD COLUMN has_failed_calls boolean NOT NULL DEFAULT false;
