-- SPDX-License-Identifier: GPL-2.0-only
-- Threads whose runs, waits and unknowns are not together their life: there must be none.
-- What a thread waits for within a call or fault is that one's child, so ThreadID is asked.
WITH tiles AS (
    SELECT o.ThreadID, sum(c.EndTime - c.StartTime) AS ps
    FROM trace c
    JOIN "ovnik$task" o ON o.ID = c.ID
    WHERE c.Kind IN ('run', 'wait', 'unknown')
    GROUP BY o.ThreadID
)
SELECT l.Locale AS thread, t.EndTime - t.StartTime AS life_ps,
       coalesce(tiles.ps, 0) AS tiles_ps
FROM trace t
JOIN location l ON l.ID = t.Location
LEFT JOIN tiles ON tiles.ThreadID = t.ID
WHERE t.Kind = 'thread' AND tiles_ps <> life_ps;
