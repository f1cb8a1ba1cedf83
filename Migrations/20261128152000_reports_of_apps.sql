-- expand
-- The reports of apps by day, without rows of lists, for the transparency report. Later reports are added as they arrive.
INSERT INTO daily_statistics (day, statistic, value)
SELECT (r.reported_at AT TIME ZONE 'UTC')::date, 'app_reports', count(*) FROM reports r
WHERE r.reporter IS NOT NULL
  AND r.received_at < (SELECT w.counted_until FROM statistics_watermarks w WHERE w.statistic = 'reports')
GROUP BY 1;
