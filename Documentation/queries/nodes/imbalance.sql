-- SPDX-License-Identifier: GPL-2.0-only
-- Programs that ran on several nodes: on which they were on CPUs for the longest time, and how
-- long that is beside all of them, in ns. With the same work everywhere, most_ns is
-- total_ns / nodes.
SELECT program, node, most_ns, total_ns, nodes
FROM (
    SELECT program, node, sum(run_ns) AS most_ns
    FROM (
        SELECT node, process, sum(end_ns - start_ns) AS run_ns
        FROM tasks WHERE kind = 'run' GROUP BY node, process
    ) AS runs
    JOIN (
        SELECT node, id AS process, what AS program FROM tasks WHERE kind = 'process'
    ) AS processes USING (node, process)
    GROUP BY program, node
) AS by_node
JOIN (
    SELECT program, max(ns) AS most_ns, sum(ns) AS total_ns, count(*) AS nodes
    FROM (
        SELECT program, node, sum(run_ns) AS ns
        FROM (
            SELECT node, process, sum(end_ns - start_ns) AS run_ns
            FROM tasks WHERE kind = 'run' GROUP BY node, process
        ) AS runs
        JOIN (
            SELECT node, id AS process, what AS program FROM tasks WHERE kind = 'process'
        ) AS processes USING (node, process)
        GROUP BY program, node
    ) AS again
    GROUP BY program
    HAVING count(*) > 1
) AS by_program USING (program, most_ns)
ORDER BY most_ns DESC, program, node;
