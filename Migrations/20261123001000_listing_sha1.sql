-- expand

-- The first eight bytes of the SHA-1 of the number with its plus sign, as a signed integer in network byte order; NULL in
-- rows of an earlier program, until the next publication.
ALTER TABLE listings ADD COLUMN sha1 bigint;
