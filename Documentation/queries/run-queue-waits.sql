-- SPDX-License-Identifier: GPL-2.0-only
-- The longest waits for a CPU: thread, start (ms since the capture's beginning), duration.
SELECT p.What AS process, o.PID AS pid, o.TID AS tid, t.What AS reason,
       o.Start / 1e6 AS at_ms, o.Lasts / 1e3 AS wait_us
FROM trace t
JOIN "ovnik$task" o ON o.ID = t.ID
JOIN trace p ON p.ID = o.ProcessID
WHERE t.Kind = 'wait' AND t.What LIKE 'run queue:%'
ORDER BY o.Lasts DESC, t.ID
LIMIT 20;
