-- SPDX-License-Identifier: GPL-2.0-only
-- What the threads of each process waited for, and the total time, in ms.
SELECT p.What AS process, o.PID AS pid, t.What AS reason, count(*) AS waits,
       total(o.Lasts) / 1e6 AS wait_ms,
       max(o.Lasts) / 1e6 AS longest_ms
FROM trace t
JOIN "ovnik$task" o ON o.ID = t.ID
JOIN trace p ON p.ID = o.ProcessID
WHERE t.Kind = 'wait'
GROUP BY p.ID, t.What
ORDER BY wait_ms DESC, pid, reason;
