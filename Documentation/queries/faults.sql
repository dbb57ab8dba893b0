-- SPDX-License-Identifier: GPL-2.0-only
-- Page faults of each process: number, total time in ms, and the longest.
SELECT p.What AS process, o.PID AS pid, t.What AS fault, count(*) AS faults,
       total(o.Lasts) / 1e6 AS time_ms,
       max(o.Lasts) / 1e3 AS longest_us
FROM trace t
JOIN "ovnik$task" o ON o.ID = t.ID
JOIN trace p ON p.ID = o.ProcessID
WHERE t.Kind = 'fault'
GROUP BY p.ID, t.What
ORDER BY time_ms DESC, pid;
