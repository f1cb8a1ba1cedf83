-- expand
-- The 16 bytes of the form's stamp, of which a server with its key makes the ticket; NULL where the ticket is not made of it.
ALTER TABLE appeal_contacts ADD COLUMN stamp bytea;
