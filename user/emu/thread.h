/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_THREAD_H
#define OVNIK_EMU_THREAD_H

#include "emu/system.h"

/**
 * thread_execute() - A thread starts to run on a CPU.
 * @emu: emulator
 * @th: thread that is not running and has no CPU
 * @cpu: CPU
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
int __must_check thread_execute(struct emu *emu, struct emu_thread *th, struct emu_cpu *cpu);

/**
 * thread_end() - A thread ends and leaves its CPU.
 * @emu: emulator
 * @th: running or cooling thread
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
int __must_check thread_end(struct emu *emu, struct emu_thread *th);

/**
 * thread_change() - Change the state of a thread.
 * @emu: emulator
 * @th: thread
 * @from: bitmap of allowed present states, by enum thread_state
 * @to: new state
 *
 * The thread keeps its CPU.
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
int __must_check thread_change(struct emu *emu, struct emu_thread *th, u32 from,
			       enum thread_state to);

/**
 * thread_migrate() - A thread moves to another CPU.
 * @emu: emulator
 * @th: thread with a CPU
 * @cpu: another CPU than the one it has
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
int __must_check thread_migrate(struct emu *emu, struct emu_thread *th, struct emu_cpu *cpu);

/**
 * thread_state_name() - The name of a state.
 * @state: enum thread_state
 */
const char *thread_state_name(u8 state);

#endif /* OVNIK_EMU_THREAD_H */
