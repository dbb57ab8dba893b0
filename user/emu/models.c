// SPDX-License-Identifier: GPL-2.0-only
/* The table of models, and creation of an emulator with all of them. */
#include "emu/core.h"
#include "emu/models.h"

const struct model *const emu_models[EMU_NR_MODELS] = {
#define MODEL(id, name) [MODEL_ID_##id] = &model_##name,
	EMU_MODEL_TABLE(MODEL)
#undef MODEL
};

struct emu *emu_create(void)
{
	return emu_new(emu_models);
}
