-- SPDX-License-Identifier: GPL-2.0-only
-- Each node: when its capture began (ns since 1970, 0: not known), how long it is, its tasks, and
-- times on CPUs, in run queues and in disk sleep, in ns.
SELECT node, coalesce(begin_real_ns, 0) AS began, max(end_ns) AS length_ns, count(*) AS tasks,
       sum(CASE WHEN kind = 'run' THEN end_ns - start_ns ELSE 0 END) AS cpu_ns,
       sum(CASE WHEN kind = 'wait' AND what LIKE 'run queue:%' THEN end_ns - start_ns ELSE 0 END)
           AS queue_ns,
       sum(CASE WHEN kind = 'wait' AND what = 'disk sleep' THEN end_ns - start_ns ELSE 0 END)
           AS disk_ns
FROM tasks
GROUP BY node, begin_real_ns
ORDER BY node, began;
