-- SPDX-License-Identifier: GPL-2.0-only
-- CPU time of each program, in ms: of all processes that had its name at the end.
SELECT p.What AS program, count(DISTINCT p.ID) AS processes,
       total(o.Lasts) / 1e6 AS cpu_ms,
       max(o.Lasts) / 1e6 AS longest_run_ms
FROM trace t
JOIN "ovnik$task" o ON o.ID = t.ID
JOIN trace p ON p.ID = o.ProcessID
WHERE t.Kind = 'run'
GROUP BY p.What
ORDER BY cpu_ms DESC, program;
