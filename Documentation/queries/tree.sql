-- SPDX-License-Identifier: GPL-2.0-only
-- The processes, each below the one that made it.
WITH RECURSIVE
tree(ID, depth, path) AS (
    SELECT t.ID, 0, printf('%016d', t.ID) FROM trace t
    WHERE t.Kind = 'process'
    AND NOT EXISTS (SELECT 1 FROM trace p WHERE p.ID = t.ParentID AND p.Kind = 'process')
    UNION ALL
    SELECT t.ID, depth + 1, path || printf('%016d', t.ID) FROM trace t
    JOIN tree ON t.ParentID = tree.ID
    WHERE t.Kind = 'process'
)
SELECT printf('%*s', 2 * depth, '') || t.What AS process, o.PID AS pid,
       o.Start / 1e6 AS from_ms, o.End / 1e6 AS to_ms
FROM tree
JOIN trace t ON t.ID = tree.ID
JOIN "ovnik$task" o ON o.ID = t.ID
ORDER BY path;
