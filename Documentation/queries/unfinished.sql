-- SPDX-License-Identifier: GPL-2.0-only
-- Tasks that had not ended when the capture did, or may have ended where events are missing,
-- oldest first.
SELECT t.Kind AS kind, t.What AS what, l.Locale AS place, o.Start / 1e6 AS since_ms,
       CASE WHEN o.Open THEN 'open' ELSE 'in doubt' END AS its_end
FROM "ovnik$task" o
CROSS JOIN trace t ON t.ID = o.ID
JOIN location l ON l.ID = t.Location
WHERE o.Open OR o.Doubt
ORDER BY o.Start, t.ID;
