-- expand
-- Reports of apps are counted up to a time of their own: older programs move the time of all reports without counting these.
INSERT INTO statistics_watermarks (statistic, counted_until)
SELECT 'app_reports', counted_until FROM statistics_watermarks WHERE statistic = 'reports';
