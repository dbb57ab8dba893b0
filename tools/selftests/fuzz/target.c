// SPDX-License-Identifier: GPL-2.0-only
/* What the targets share: see target.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "edit.h"
#include "memfs.h"
#include "target.h"
#include "util/msg.h"

void must(bool holds, const char *what)
{
	if (holds)
		return;
	dprintf(STDERR_FILENO, "must hold: %s\n", what);
	abort();
}

/* C0, DEL and C1 drive terminals; a line ends where the message does. */
static bool drives_terminal(const u8 *text, size_t len)
{
	return (*text < 0x20 && *text != '\n') || *text == 0x7f ||
	       (*text == 0xc2 && len > 1 && (text[1] & 0xe0) == 0x80);
}

void must_say(bool wrong)
{
	size_t len, i;
	const u8 *text = (const u8 *)memfs_messages(&len);

	must(!wrong || len, "what is wrong is said");
	for (i = 0; i < len; i++) {
		if (!drives_terminal(text + i, len - i))
			continue;
		dprintf(STDERR_FILENO, "%.*s\n", (int)len, text);
		must(false, "messages have no control characters");
	}
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	memfs_take_messages();
	msg_init((*argv)[0]);
	return 0;
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
