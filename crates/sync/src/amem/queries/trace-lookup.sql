-- Every event of one workflow, step by step.
SELECT seq, ts, event_type, status, source, duration_ms, coalesce(summary, content) AS what
FROM events
WHERE trace_id = :trace_id
ORDER BY ts, seq
