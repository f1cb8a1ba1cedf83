-- expand
-- The network's verification of the number that the caller showed, as a code of ReportedVerification; NULL where the app did not
-- say. With 2 (failed, from a trusted sender) the weight is 0.
ALTER TABLE reports ADD COLUMN verification smallint;
