-- contract
DROP INDEX reports_by_id;
