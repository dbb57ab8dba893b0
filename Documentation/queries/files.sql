-- SPDX-License-Identifier: GPL-2.0-only
-- The files with the most system calls: calls, bytes, and time, in ms. The name of a file is the
-- last one by which it was opened.
WITH names AS (
    SELECT Device, Inode, Generation, What, max(Start)
    FROM trace JOIN "ovnik$task" USING (ID)
    WHERE Kind = 'file' AND Inode IS NOT NULL AND What <> ''
    GROUP BY Device, Inode, Generation
), used AS (
    SELECT Device, Inode, Generation, What AS call, count(*) AS calls,
           CAST(total(Bytes) AS INTEGER) AS bytes,
           total(Lasts) / 1e6 AS time_ms
    FROM trace JOIN "ovnik$task" USING (ID)
    WHERE Kind = 'call' AND Inode IS NOT NULL
    GROUP BY Device, Inode, Generation, What
)
SELECT coalesce(names.What, used.Device || ' inode ' || used.Inode) AS file, call, calls,
       bytes, time_ms
FROM used LEFT JOIN names USING (Device, Inode, Generation)
ORDER BY time_ms DESC, bytes DESC
LIMIT 20;
