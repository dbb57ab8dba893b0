-- SPDX-License-Identifier: GPL-2.0-only
-- Programs that were run: their paths, on how many nodes, how often, and first and last time of
-- day, in ns since 1970.
SELECT what, count(DISTINCT node) AS nodes, count(*) AS times,
       min(coalesce(begin_real_ns, 0) + time_ns) AS first_ns,
       max(coalesce(begin_real_ns, 0) + time_ns) AS last_ns
FROM tags
WHERE what LIKE 'exec /%'
GROUP BY what
ORDER BY times DESC, what;
