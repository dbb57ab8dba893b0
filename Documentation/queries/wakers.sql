-- SPDX-License-Identifier: GPL-2.0-only
-- Who ended whose sleep, or made whom, how often, and what was asked for. A waker of which
-- the TID is 0 is no thread: its name is the place of the page cache that had the page to be
-- waited for (pagecache[MAJOR:MINOR]...), or of the CPU on which nobody ran when the wakeup
-- came (cpu[N]...).
SELECT s.What AS sleeper, asks.TID AS sleeper_tid, coalesce(w.What, l.Locale) AS waker,
       serves.TID AS waker_tid, i.What AS what, count(*) AS times
FROM trace i
JOIN trace r ON r.ID = i.ParentID AND r.Kind = 'req_out'
JOIN "ovnik$task" serves ON serves.ID = i.ID
JOIN "ovnik$task" asks ON asks.ID = r.ID
JOIN trace s ON s.ID = asks.ProcessID
JOIN location l ON l.ID = i.Location
LEFT JOIN trace w ON w.ID = serves.ProcessID
WHERE i.Kind = 'req_in'
GROUP BY asks.ProcessID, sleeper_tid, waker, waker_tid, i.What
ORDER BY times DESC, sleeper_tid, waker_tid, waker;
