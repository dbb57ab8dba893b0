-- SPDX-License-Identifier: GPL-2.0-only
-- What the threads of each node waited for: number, total and longest, in ns.
SELECT node, what AS reason, count(*) AS waits, sum(end_ns - start_ns) AS wait_ns,
       max(end_ns - start_ns) AS longest_ns
FROM tasks
WHERE kind = 'wait'
GROUP BY node, what
ORDER BY node, wait_ns DESC, reason;
