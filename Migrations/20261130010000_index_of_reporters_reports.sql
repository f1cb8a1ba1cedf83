-- contract, concurrently
-- Ids of reports without a reporter belong to their number, and the key finds them. Each month's index in a transaction, because
-- nobody can store reports of a month while its index is built. It waits for a month for half a second, as other migrations do. A
-- month that a program has created since the first step has its index.
DO $$
DECLARE
    month regclass;
BEGIN
    PERFORM set_config('lock_timeout', '500ms', true);
    CREATE INDEX IF NOT EXISTS reports_of_reporters ON ONLY reports (app_id, report_id) WHERE reporter IS NOT NULL;
    COMMIT;
    FOR month IN
        SELECT m.inhrelid::regclass FROM pg_inherits m
        WHERE m.inhparent = 'reports'::regclass AND NOT EXISTS (
            SELECT 1 FROM pg_index x JOIN pg_inherits i ON i.inhrelid = x.indexrelid
            WHERE x.indrelid = m.inhrelid AND i.inhparent = 'reports_of_reporters'::regclass)
        ORDER BY m.inhrelid
    LOOP
        PERFORM set_config('lock_timeout', '500ms', true);
        EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %s (app_id, report_id) WHERE reporter IS NOT NULL',
                       month || '_of_reporters', month);
        EXECUTE format('ALTER INDEX reports_of_reporters ATTACH PARTITION %I', month || '_of_reporters');
        COMMIT;
    END LOOP;
END $$
