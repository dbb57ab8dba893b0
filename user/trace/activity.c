// SPDX-License-Identifier: GPL-2.0-only
/* Activities of memory, page cache and files. */
#include <string.h>

#include "trace/activity.h"

#define LABEL(name, number, text) { number, text },

static const struct ovni_label fault_labels[] = {
	OVNI_FAULT_TABLE(LABEL)
};

static const struct ovni_label file_call_labels[] = {
	OVNI_FILE_CALL_TABLE(LABEL)
};

#undef LABEL

#define ACTIVITY(id, nr, prv, form, text, heading, ours)	\
	[OVNI_ACTIVITY_##id] = {				\
		.mark = nr,					\
		.shape = OVNI_SHAPE_##form,			\
		.key = text,					\
		.title = heading,				\
		LABELS_##id					\
	},

#define LABELS(of)		.labels = of, .nlabels = ARRAY_SIZE(of),
#define LABELS_FAULT		LABELS(fault_labels)
#define LABELS_FAULTS_MINOR
#define LABELS_FAULTS_MAJOR
#define LABELS_FAULTS_FAILED
#define LABELS_FILE_CALL	LABELS(file_call_labels)
#define LABELS_BYTES_READ
#define LABELS_BYTES_WRITTEN
#define LABELS_COW_BREAKS
#define LABELS_CACHE_ADDS
#define LABELS_CACHE_REMOVES
#define LABELS_MAPPED
#define LABELS_FUNCTION

const struct ovni_activity_desc ovni_activities[OVNI_NR_ACTIVITIES] = {
	OVNI_ACTIVITY_TABLE(ACTIVITY)
};

const struct ovni_activity_desc *ovni_activity_find(const char *key)
{
	u32 i;

	for (i = 0; i < OVNI_NR_ACTIVITIES; i++) {
		if (!strcmp(ovni_activities[i].key, key))
			return &ovni_activities[i];
	}
	return NULL;
}
