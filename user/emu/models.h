/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_MODELS_H
#define OVNIK_EMU_MODELS_H

#include "emu/model_id.h"

struct model;

/* By enum model_id. It depends on all models, so no part of the emulator includes this. */
extern const struct model *const emu_models[EMU_NR_MODELS];

#endif /* OVNIK_EMU_MODELS_H */
