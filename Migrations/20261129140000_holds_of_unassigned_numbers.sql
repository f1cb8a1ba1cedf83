-- contract
-- Reports of numbers that no plan has are held with the code unassigned, which programs of 0.1.0 cannot read: they do not publish
-- then. So newer programs refuse these reports until this migration says that no program of 0.1.0 will run again.
COMMENT ON COLUMN holds.reason IS 'HoldReason; the code unassigned since 20261129140000.';
