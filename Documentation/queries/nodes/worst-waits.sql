-- SPDX-License-Identifier: GPL-2.0-only
-- The longest waits for a CPU on any node: at_ns is in ns since 1970, if the capture knows the
-- time of day.
SELECT node, program, pid, tid, reason, at_ns, wait_ns
FROM (
    SELECT node, process, id, pid, tid, what AS reason,
           coalesce(begin_real_ns, 0) + start_ns AS at_ns, end_ns - start_ns AS wait_ns
    FROM tasks
    WHERE kind = 'wait' AND what LIKE 'run queue:%'
    ORDER BY wait_ns DESC, node, id
    LIMIT 20
) AS waits
JOIN (
    SELECT node, id AS process, what AS program FROM tasks WHERE kind = 'process'
) AS processes USING (node, process)
ORDER BY wait_ns DESC, node, id;
