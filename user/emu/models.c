// SPDX-License-Identifier: GPL-2.0-only
/* The table of models, and creation of an emulator with all of them. */
#include <stdio.h>
#include <stdlib.h>

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

char *emu_models_list(const char *indent)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	int i;

	if (!to)
		return NULL;
	for (i = 0; i < EMU_NR_MODELS; i++)
		fprintf(to, "%s%-8s %u.%u.%u '%c'\n", indent, emu_models[i]->name,
			emu_models[i]->major, emu_models[i]->minor, emu_models[i]->patch,
			emu_models[i]->letter);
	if (!fclose(to))
		return text;
	free(text);
	return NULL;
}
