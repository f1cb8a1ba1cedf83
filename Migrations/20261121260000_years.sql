-- histories: how many rulings and undoings there were about each of the chosen numbers when the bulk began, in their order;
-- none for bulks of former versions. Rulings are only ever added, so a number with more of them was decided about since.
ALTER TABLE bulks
    ADD COLUMN histories integer[],
    ADD CONSTRAINT bulks_histories_of_the_chosen CHECK (cardinality(histories) = cardinality(chosen));
