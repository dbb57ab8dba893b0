/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_REFS_INSN_H
#define OVNIK_REFS_INSN_H

#include <stdbool.h>

struct qemu_plugin_insn;

/* Instructions that the plugin has to see. */
enum insn {
	INSN_OTHER,
	INSN_START,	/* switches the log on */
	INSN_TREE,	/* the same, for a tree of processes, of which none runs */
	INSN_IN,	/* one of them runs */
	INSN_OUT,	/* none does */
	INSN_STOP,	/* switches it off */
	INSN_TSC,	/* reads the TSC */
	INSN_HALT,
	INSN_CR3,	/* writes CR3 */
	INSN_FLUSH,	/* may change the mapping of any page */
	NR_INSNS,
};

/* How an instruction faults that is the last one of its block. */
enum insn_faults {
	INSN_FAULTS,		/* with an error code, if it does: a fault takes no tick */
	INSN_FAULTS_PLAIN,	/* or without one */
	INSN_NOT_FOR_USERS,	/* in user mode; as QEMU knows that before, it takes a tick */
};

/**
 * insn_find() - What an instruction is.
 * @insn: the instruction
 * @reg: is set to the register that CR3 is written from
 *
 * Context: Any.
 * Return: one of them.
 */
enum insn insn_find(const struct qemu_plugin_insn *insn, unsigned int *reg);

/**
 * insn_is_plain() - Does an instruction end whenever it has begun?
 * @insn: the instruction
 *
 * It works on registers alone, and has no exceptions. Not all of these are known.
 *
 * Context: Any.
 * Return: true if so.
 */
bool insn_is_plain(const struct qemu_plugin_insn *insn);

/**
 * insn_faults() - How an instruction faults.
 * @insn: the instruction
 *
 * One that does not exist takes a tick, too.
 *
 * Context: Any.
 * Return: one of them.
 */
enum insn_faults insn_faults(const struct qemu_plugin_insn *insn);

#endif /* OVNIK_REFS_INSN_H */
