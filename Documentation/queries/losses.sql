-- SPDX-License-Identifier: GPL-2.0-only
-- What is missing, per event and CPU.
SELECT coalesce(Event, 'not known') AS event, CPU AS cpu, Why AS why, count(*) AS gaps,
       CAST(total(Lost) AS INTEGER) AS lost, total(End - Start) / 1e6 AS time_ms
FROM "ovnik$loss"
GROUP BY Event, CPU, Why
ORDER BY lost DESC, event, cpu;
