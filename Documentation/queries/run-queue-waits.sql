-- SPDX-License-Identifier: GPL-2.0-only
-- The longest waits for a CPU: thread, start (ms since the capture's beginning), duration.
SELECT p.What AS process, o.PID AS pid, o.TID AS tid, t.What AS reason,
       t.StartTime / 1e9 AS at_ms, (t.EndTime - t.StartTime) / 1e6 AS wait_us
FROM trace t
JOIN "ovnik$task" o ON o.ID = t.ID
JOIN trace p ON p.ID = o.ProcessID
WHERE t.Kind = 'wait' AND t.What LIKE 'run queue:%'
ORDER BY t.EndTime - t.StartTime DESC, t.ID
LIMIT 20;
