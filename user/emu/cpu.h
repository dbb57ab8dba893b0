/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_CPU_H
#define OVNIK_EMU_CPU_H

#include "util/types.h"

struct emu;
struct emu_cpu;
struct emu_thread;

/**
 * cpu_place() - Put a thread into the sets of its CPU that match its state.
 * @emu: emulator
 * @th: thread with a CPU
 *
 * Must be called in the pre phase after the thread's state was written, so that
 * its own channels are visited first.
 *
 * Return: 0 or a negative errno with the reason in @emu: a physical CPU has no
 * more than one running thread.
 */
int __must_check cpu_place(struct emu *emu, struct emu_thread *th);

/**
 * cpu_assign() - Take a thread from its CPU, if any, and give it another.
 * @emu: emulator
 * @th: thread
 * @cpu: CPU, or NULL for none
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
int __must_check cpu_assign(struct emu *emu, struct emu_thread *th, struct emu_cpu *cpu);

#endif /* OVNIK_EMU_CPU_H */
