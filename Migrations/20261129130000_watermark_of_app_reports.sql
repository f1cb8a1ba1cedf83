-- expand
-- Reports of apps are counted up to a time of their own: older programs move the time of all reports without counting these.
INSERT INTO statistics_watermarks (statistic, counted_until)
SELECT 'app_reports', counted_until FROM statistics_watermarks WHERE statistic = 'reports';

-- Those that older programs have passed over since the migration that began to count them.
INSERT INTO daily_statistics AS s (day, statistic, value)
SELECT (r.reported_at AT TIME ZONE 'UTC')::date, 'app_reports', count(*) FROM reports r
WHERE r.reporter IS NOT NULL
  AND r.received_at < (SELECT w.counted_until FROM statistics_watermarks w WHERE w.statistic = 'app_reports')
GROUP BY 1
ON CONFLICT (day, statistic) DO UPDATE SET value = greatest(s.value, excluded.value);
