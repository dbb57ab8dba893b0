// SPDX-License-Identifier: GPL-2.0-only
/* What the targets share: see target.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "edit.h"
#include "memfs.h"
#include "target.h"

void must(bool holds, const char *what)
{
	if (holds)
		return;
	dprintf(STDERR_FILENO, "must hold: %s\n", what);
	abort();
}

/* C0, DEL and C1 drive terminals; a line ends where the message does. */
void must_say_text(void)
{
	size_t len, i;
	const u8 *text = (const u8 *)memfs_messages(&len);

	for (i = 0; i < len; i++) {
		bool control = (text[i] < 0x20 && text[i] != '\n') || text[i] == 0x7f ||
			       (text[i] == 0xc2 && (text[i + 1] & 0xe0) == 0x80);

		if (control)
			dprintf(STDERR_FILENO, "%.*s\n", (int)len, text);
		must(!control, "messages have no control characters");
	}
}

void target_set(struct outputs *outs, const char *name, const char *option, const char *arg)
{
	struct output_use *use = outputs_find(outs, name);
	const struct argp_option *o = use->output->options;

	while (o->name && strcmp(o->name, option))
		o++;
	must(o->name && !outputs_parse(use, o->key, arg, NULL), option);
}

static void edit_part(const struct target_edit *edits, struct part *part)
{
	size_t len = strlen(part->name);

	for (; edits->ends; edits++) {
		size_t end = strlen(edits->ends);

		if (len >= end && !strcmp(part->name + len - end, edits->ends)) {
			edits->edit(part);
			return;
		}
	}
	edit_bytes(part);
}

static void edit_files(struct pack *pack)
{
	struct part *from = &pack->parts[draw(pack->nr)], *to;

	switch (draw(4)) {
	case 0:
		pack_remove(pack, draw(pack->nr));
		break;
	case 1:
		to = &pack->parts[draw(pack->nr)];
		if (to != from)
			edit_replace(to, 0, to->len, from->data, from->len);
		break;
	default:
		pack->opt[draw(PACK_OPTIONS)] = draw(256);
	}
}

size_t target_mutate(const struct target_edit *edits, u8 *data, size_t len, size_t room,
		     unsigned int seed)
{
	struct pack *pack = pack_read(data, len);
	struct part *part;
	u32 n;

	draw_seed(seed);
	if (!pack->nr)
		return LLVMFuzzerMutate(data, len, room);
	if (!draw(10)) {
		edit_files(pack);
		return pack_write(pack, data, room);
	}
	/* Most edits in one file: what belongs together is there. */
	part = &pack->parts[draw(pack->nr)];
	for (n = 1 + draw(4); n; n--) {
		edit_part(edits, part);
		if (!draw(4))
			part = &pack->parts[draw(pack->nr)];
	}
	return pack_write(pack, data, room);
}
