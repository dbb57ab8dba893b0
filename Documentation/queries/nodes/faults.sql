-- SPDX-License-Identifier: GPL-2.0-only
-- Page faults of each program over all nodes: number, total time and the longest, in ns.
SELECT program, fault, count(DISTINCT node) AS nodes, sum(times) AS faults, sum(ns) AS fault_ns,
       max(worst) AS longest_ns
FROM (
    SELECT node, process, what AS fault, count(*) AS times, sum(end_ns - start_ns) AS ns,
           max(end_ns - start_ns) AS worst
    FROM tasks WHERE kind = 'fault' GROUP BY node, process, what
) AS by_process
JOIN (
    SELECT node, id AS process, what AS program FROM tasks WHERE kind = 'process'
) AS processes USING (node, process)
GROUP BY program, fault
ORDER BY fault_ns DESC, program, fault;
