// SPDX-License-Identifier: GPL-2.0-only
/* The nodes model: what the NODES runtime does. */
#include "emu/model.h"

#define SUBSYSTEM_TABLE(state, label)						\
	state(1, "DR[", "DR]", "Dependencies: Registering task accesses")	\
	state(2, "DU[", "DU]", "Dependencies: Unregistering task accesses")	\
	state(3, "DW[", "DW]", "If0: Waiting for an If0 task")		\
	state(4, "DI[", "DI]", "If0: Executing an If0 task inline")	\
	state(5, "DT[", "DT]", "Taskwait: Taskwait")			\
	state(6, "DC[", "DC]", "Add Task: Creating a task")		\
	state(7, "DS[", "DS]", "Add Task: Submitting a task")		\
	state(8, "DP[", "DP]", "Spawn Function: Spawning a function")

static const struct ovni_label subsystem_labels[] = {
	SUBSYSTEM_TABLE(MODEL_STATE_LABEL, MODEL_LABEL)
};

static const struct model_chan nodes_chans[] = {
	{
		.name = "nodes.subsystem", .label = "NODES subsystem", .type = 30,
		.kind = CHAN_STACK, .flags = PRV_SKIP_DUP, MODEL_ROWS(ACTIVE, RUNNING),
		.lint = true, MODEL_LABELS(subsystem_labels),
	},
};

#define EVENTS(value, in, out, text) MODEL_EVENTS(0, value, in, out)

static const struct model_event nodes_events[] = {
	SUBSYSTEM_TABLE(EVENTS, MODEL_NO_EVENTS)
};

DEFINE_MODEL(nodes) = {
	.name = "nodes", .letter = 'D', .major = 1, .minor = 0, .id = MODEL_ID_NODES,
	.need = NEED_RUNNING, MODEL_TABLE(chans, nodes_chans), MODEL_TABLE(events, nodes_events),
};
