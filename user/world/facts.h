/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_WORLD_FACTS_H
#define OVNIK_WORLD_FACTS_H

#include "capture/capture.h"
#include "world/world.h"

#define FACTS_GAPS	20

/**
 * struct facts - What the last pass has shown, for the summary and the report.
 * @cap: the capture
 * @world: disagreements in the last pass
 * @orphans: tasks whose process is not known
 * @unplaced: of memory and files, while no task was known to run there
 * @processes: processes, 0 if they were not counted
 * @gaps: the first gaps
 * @nr_gaps: length of @gaps
 */
struct facts {
	struct capture *cap;
	struct world_stats world;
	u64 orphans;
	u64 unplaced;
	u64 processes;
	struct capture_gap gaps[FACTS_GAPS];
	unsigned int nr_gaps;
};

#endif /* OVNIK_WORLD_FACTS_H */
