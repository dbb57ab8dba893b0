/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_KERNEL_WAIT_H
#define OVNIK_EMU_KERNEL_WAIT_H

#include "util/types.h"

struct emu;
struct emu_cpu;
struct emu_thread;
struct ovni_ev;

/* Threads that wait for a CPU; trace/wait.h describes the events. */

/**
 * kernel_wait_event() - Emulate one of these events.
 * @emu: emulator
 * @cpu: the CPU whose stream has it
 * @ev: the event; its first two letters are KW
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
int __must_check kernel_wait_event(struct emu *emu, struct emu_cpu *cpu, const struct ovni_ev *ev);

/**
 * kernel_wait_over() - End the wait of a thread.
 * @emu: emulator
 * @th: thread that waits
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
int __must_check kernel_wait_over(struct emu *emu, struct emu_thread *th);

/**
 * kernel_wait_runs() - End the wait, if any, of a thread that runs on a physical CPU.
 * @emu: emulator
 * @th: thread
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
int __must_check kernel_wait_runs(struct emu *emu, struct emu_thread *th);

#endif /* OVNIK_EMU_KERNEL_WAIT_H */
