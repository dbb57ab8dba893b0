/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_FREEZE_H
#define OVNIK_EMU_FREEZE_H

struct emu;

/**
 * emu_thaw() - Free what emu_freeze() made, in part or in whole.
 * @emu: emulator
 */
void emu_thaw(struct emu *emu);

#endif /* OVNIK_EMU_FREEZE_H */
