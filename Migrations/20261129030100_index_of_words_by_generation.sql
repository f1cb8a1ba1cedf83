-- expand
-- The index of words takes two thirds of an import of names. An index of the partitioned table is made while the entries are
-- attached; now each generation has its own, which is made after its entries are in use. Until a new program has made it, a
-- search for names by an older one may take too long.
DROP INDEX directory_entries_words;
