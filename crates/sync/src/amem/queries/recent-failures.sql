-- What failed or timed out in the last days, the latest first.
-- :days = 7
SELECT seq, ts, event_type, status, source, agent, trace_id, coalesce(summary, content) AS what
FROM events
WHERE status IN ('failure', 'timeout') AND ts >= days_ago(:days)
ORDER BY ts DESC, seq DESC
