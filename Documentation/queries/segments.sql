-- SPDX-License-Identifier: GPL-2.0-only
-- Threads whose segments (runs, waits, unknowns) do not add up to their life: must be empty.
-- A wait within a call or fault is a child of that task, so this joins by ThreadID.
WITH segments AS (
    SELECT o.ThreadID, sum(o.Lasts) AS ns
    FROM trace c
    JOIN "ovnik$task" o ON o.ID = c.ID
    WHERE c.Kind IN ('run', 'wait', 'unknown')
    GROUP BY o.ThreadID
)
SELECT l.Locale AS thread, life.Lasts AS life_ns,
       coalesce(segments.ns, 0) AS segments_ns
FROM trace t
JOIN "ovnik$task" life ON life.ID = t.ID
JOIN location l ON l.ID = t.Location
LEFT JOIN segments ON segments.ThreadID = t.ID
WHERE t.Kind = 'thread' AND segments_ns <> life_ns;
