-- SPDX-License-Identifier: GPL-2.0-only
-- CPU time of each process, in ms, and its share of the lifetime.
SELECT p.What AS process, o.PID AS pid,
       total(o.Lasts) / 1e6 AS cpu_ms,
       round(100.0 * total(o.Lasts) / max(life.Lasts, 1), 1) AS percent
FROM trace t
JOIN "ovnik$task" o ON o.ID = t.ID
JOIN trace p ON p.ID = o.ProcessID
JOIN "ovnik$task" life ON life.ID = p.ID
WHERE t.Kind = 'run'
GROUP BY p.ID
ORDER BY cpu_ms DESC, pid;
