-- SPDX-License-Identifier: GPL-2.0-only
-- What began in each second of the time of day, on each node: runs, waits, calls and faults.
SELECT second, node, sum(CASE WHEN kind = 'run' THEN 1 ELSE 0 END) AS runs,
       sum(CASE WHEN kind = 'wait' THEN 1 ELSE 0 END) AS waits,
       sum(CASE WHEN kind = 'call' THEN 1 ELSE 0 END) AS calls,
       sum(CASE WHEN kind = 'fault' THEN 1 ELSE 0 END) AS faults
FROM (
    SELECT node, kind, coalesce(begin_real_ns, 0) + start_ns
           - (coalesce(begin_real_ns, 0) + start_ns) % 1000000000 AS second
    FROM tasks
    WHERE kind IN ('run', 'wait', 'call', 'fault') AND early = 0
) AS begun
GROUP BY second, node
ORDER BY second, node;
