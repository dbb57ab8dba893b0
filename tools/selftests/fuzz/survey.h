/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTESTS_FUZZ_SURVEY_H
#define OVNIK_SELFTESTS_FUZZ_SURVEY_H

/* Where sub-buffers and records are in a CPU's file. */
#include "capture/events.h"
#include "edit.h"

#define SUBBUFS_MAX	64
#define RECORDS_MAX	4096

/**
 * struct place - A record.
 * @at: where it begins in the file
 * @len: its bytes, with padding
 * @subbuf: number of its sub-buffer
 */
struct place {
	u32 at;
	u32 len;
	u32 subbuf;
};

/**
 * struct survey - What a file looks like.
 * @subbuf: where each sub-buffer begins; the end of the file follows
 * @nr_subbufs: length of @subbuf, without the end
 * @records: its records
 * @nr: length of @records
 */
struct survey {
	u32 subbuf[SUBBUFS_MAX + 1];
	u32 nr_subbufs;
	struct place records[RECORDS_MAX];
	u32 nr;
};

static inline struct ovnik_subbuf *header(const struct part *part, u32 at)
{
	return (struct ovnik_subbuf *)(part->data + at);
}

static inline struct ovnik_record *record(const struct part *part, const struct place *place)
{
	return (struct ovnik_record *)(part->data + place->at);
}

/* Find all there are, however damaged the file is. */
void survey_file(struct survey *s, const struct part *part);

#endif /* OVNIK_SELFTESTS_FUZZ_SURVEY_H */
