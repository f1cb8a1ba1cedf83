-- histories: how many decisions and undoings there were about each of the chosen numbers when the bulk began, in their order;
-- none for bulks of former versions. Decisions are only ever added, so a number with more of them was decided about since.
ALTER TABLE bulks
    ADD COLUMN histories integer[],
    ADD CONSTRAINT bulks_histories_of_the_chosen CHECK (cardinality(histories) = cardinality(chosen));

-- When reports were taken again that a clock that ran ahead had shut out, as far as they could be; none where months were
-- dropped since.
ALTER TABLE report_retention ADD COLUMN reopened_at timestamptz;
