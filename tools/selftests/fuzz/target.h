/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTESTS_FUZZ_TARGET_H
#define OVNIK_SELFTESTS_FUZZ_TARGET_H

/* What the targets share. */
#include "output/output.h"
#include "pack.h"

/* libFuzzer's, and ours that it calls. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const u8 *data, size_t len);
size_t LLVMFuzzerCustomMutator(u8 *data, size_t len, size_t room, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const u8 *a, size_t len_a, const u8 *b, size_t len_b, u8 *to,
				 size_t room, unsigned int seed);

/* Stop here if it does not hold; says so on the fuzzer's stderr. */
void must(bool holds, const char *what);

/* @wrong: something must have been said. What was said must be fit for a terminal. */
void must_say(bool wrong);

/* Give an output an option, as the command line does. */
void target_set(struct outputs *outs, const char *name, const char *option, const char *arg);

/* Without arguments that are wrong: those end the program. */
struct target_edit {
	const char *ends;	/* with which a file's name ends */
	void (*edit)(struct part *part);
};

/* A mutator for files, each changed by the first @edits that fits. */
size_t target_mutate(const struct target_edit *edits, u8 *data, size_t len, size_t room,
		     unsigned int seed);

#endif /* OVNIK_SELFTESTS_FUZZ_TARGET_H */
