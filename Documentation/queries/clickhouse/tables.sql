-- SPDX-License-Identifier: GPL-2.0-only
-- The tables of a server: the rows of some nodes. "load" runs this. A begin_real_ns that is not
-- known is 0.
CREATE TABLE IF NOT EXISTS tasks_local (
    id UInt64, parent UInt64, kind String, what String, "where" String, start_ns Int64,
    end_ns Int64, early UInt8, open UInt8, doubt UInt8, either UInt8, pid UInt32, tid UInt32,
    cpu UInt32, bytes UInt64, result Int64, device String, inode UInt64, generation UInt32,
    process UInt64, thread UInt64, node String, begin_real_ns Int64
) ENGINE = MergeTree PARTITION BY node ORDER BY (kind, start_ns);

CREATE TABLE IF NOT EXISTS tags_local (
    id UInt64, task UInt64, time_ns Int64, what String, node String,
    begin_real_ns Int64
) ENGINE = MergeTree PARTITION BY node ORDER BY time_ns;

CREATE TABLE IF NOT EXISTS milestones_local (
    id UInt64, task UInt64, time_ns Int64, kind String, what String, node String,
    begin_real_ns Int64
) ENGINE = MergeTree PARTITION BY node ORDER BY (kind, time_ns);

CREATE TABLE IF NOT EXISTS losses_local (
    start_ns Int64, end_ns Int64, cpu Nullable(UInt32), event Nullable(String), lost UInt64,
    why String, node String, begin_real_ns Int64
) ENGINE = MergeTree PARTITION BY node ORDER BY start_ns;
