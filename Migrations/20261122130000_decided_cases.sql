-- The case that a decision ended. Undoing the decision restores it.
ALTER TABLE decisions
    ADD COLUMN case_since  timestamptz,
    ADD COLUMN case_causes smallint CHECK (case_causes BETWEEN 1 AND 63),
    ADD COLUMN case_level  smallint CHECK (case_level BETWEEN 0 AND 2),
    ADD CHECK ((case_since IS NULL) = (case_causes IS NULL) AND (case_since IS NULL) = (case_level IS NULL));

-- The decision that upheld an appeal. Undoing the decision opens the appeal again.
ALTER TABLE appeals ADD COLUMN decision_id uuid;
