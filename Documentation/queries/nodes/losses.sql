-- SPDX-License-Identifier: GPL-2.0-only
-- What is missing on each node.
SELECT node, coalesce(event, 'not known') AS missing, why, count(*) AS gaps, sum(lost) AS events,
       sum(end_ns - start_ns) AS gap_ns
FROM losses
GROUP BY node, coalesce(event, 'not known'), why
ORDER BY events DESC, node, missing, why;
