-- SPDX-License-Identifier: GPL-2.0-only
-- The CSV files of any number of nodes, *.tasks.csv and so on in the working directory, become
-- tasks.parquet and so on. The types are named: guessed, an inode of 64 bits is a DOUBLE.
COPY (
    SELECT * FROM read_csv('*.tasks.csv', header = true,
        delim = ',', quote = '"', escape = '"',
        force_not_null = ['what', 'where'],
        columns = {
            'id': 'UBIGINT', 'parent': 'UBIGINT', 'kind': 'VARCHAR', 'what': 'VARCHAR',
            'where': 'VARCHAR', 'start_ns': 'BIGINT', 'end_ns': 'BIGINT', 'early': 'UTINYINT',
            'open': 'UTINYINT', 'doubt': 'UTINYINT', 'either': 'UTINYINT', 'pid': 'UINTEGER',
            'tid': 'UINTEGER', 'cpu': 'UINTEGER', 'bytes': 'UBIGINT', 'result': 'BIGINT',
            'device': 'VARCHAR', 'inode': 'UBIGINT', 'generation': 'UINTEGER',
            'process': 'UBIGINT', 'thread': 'UBIGINT', 'node': 'VARCHAR',
            'begin_real_ns': 'BIGINT'
        })
    ORDER BY node, kind, start_ns
) TO 'tasks.parquet' (FORMAT parquet, COMPRESSION zstd);
COPY (
    SELECT * FROM read_csv('*.tags.csv', header = true,
        delim = ',', quote = '"', escape = '"',
        force_not_null = ['what'],
        columns = {
            'id': 'UBIGINT', 'task': 'UBIGINT', 'time_ns': 'BIGINT', 'what': 'VARCHAR',
            'node': 'VARCHAR', 'begin_real_ns': 'BIGINT'
        })
    ORDER BY node, time_ns
) TO 'tags.parquet' (FORMAT parquet, COMPRESSION zstd);
COPY (
    SELECT * FROM read_csv('*.milestones.csv', header = true,
        delim = ',', quote = '"', escape = '"',
        force_not_null = ['kind', 'what'],
        columns = {
            'id': 'UBIGINT', 'task': 'UBIGINT', 'time_ns': 'BIGINT', 'kind': 'VARCHAR',
            'what': 'VARCHAR', 'node': 'VARCHAR', 'begin_real_ns': 'BIGINT'
        })
    ORDER BY node, kind, time_ns
) TO 'milestones.parquet' (FORMAT parquet, COMPRESSION zstd);
COPY (
    SELECT * FROM read_csv('*.losses.csv', header = true,
        delim = ',', quote = '"', escape = '"',
        columns = {
            'start_ns': 'BIGINT', 'end_ns': 'BIGINT', 'cpu': 'UINTEGER', 'event': 'VARCHAR',
            'lost': 'UBIGINT', 'why': 'VARCHAR', 'node': 'VARCHAR', 'begin_real_ns': 'BIGINT'
        })
    ORDER BY node, start_ns
) TO 'losses.parquet' (FORMAT parquet, COMPRESSION zstd);
