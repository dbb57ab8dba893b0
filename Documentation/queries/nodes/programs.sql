-- SPDX-License-Identifier: GPL-2.0-only
-- CPU time of each program over all nodes, in ns: of all processes that had its name at the end.
-- least and most are those of a node.
SELECT program, count(*) AS nodes, sum(procs) AS processes, sum(ns) AS cpu_ns,
       min(ns) AS least_ns, max(ns) AS most_ns
FROM (
    SELECT node, program, count(*) AS procs, sum(run_ns) AS ns
    FROM (
        SELECT node, process, sum(end_ns - start_ns) AS run_ns
        FROM tasks WHERE kind = 'run' GROUP BY node, process
    ) AS runs
    JOIN (
        SELECT node, id AS process, what AS program FROM tasks WHERE kind = 'process'
    ) AS processes USING (node, process)
    GROUP BY node, program
) AS by_node
GROUP BY program
ORDER BY cpu_ns DESC, program;
