-- SPDX-License-Identifier: GPL-2.0-only
-- System calls on files, by path over all nodes: on how many nodes, how many calls, bytes, and
-- time in ns. A file without a name was not seen being opened; of several names the first counts.
SELECT coalesce(name, '') AS path, count(DISTINCT node) AS nodes, sum(times) AS calls,
       sum(transferred) AS bytes, sum(ns) AS call_ns
FROM (
    SELECT node, device, inode, generation, count(*) AS times, sum(bytes) AS transferred,
           sum(end_ns - start_ns) AS ns
    FROM tasks WHERE kind = 'call' AND inode <> 0
    GROUP BY node, device, inode, generation
) AS used
LEFT JOIN (
    SELECT node, device, inode, generation, min(what) AS name
    FROM tasks WHERE kind = 'file' AND inode <> 0 AND what <> ''
    GROUP BY node, device, inode, generation
) AS names USING (node, device, inode, generation)
GROUP BY coalesce(name, '')
ORDER BY call_ns DESC, path;
