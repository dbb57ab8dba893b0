-- SPDX-License-Identifier: GPL-2.0-only
-- The files that load.sql made, in the working directory, as tables.
CREATE OR REPLACE VIEW tasks AS SELECT * FROM 'tasks.parquet';
CREATE OR REPLACE VIEW tags AS SELECT * FROM 'tags.parquet';
CREATE OR REPLACE VIEW milestones AS SELECT * FROM 'milestones.parquet';
CREATE OR REPLACE VIEW losses AS SELECT * FROM 'losses.parquet';
