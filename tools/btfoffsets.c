// SPDX-License-Identifier: GPL-2.0-only
/*
 * btfoffsets - print the offsets of members of kernel structures
 *
 *	btfoffsets BTF STRUCTURE.MEMBER...
 *
 * BTF is a vmlinux or /sys/kernel/btf/vmlinux. For each member that exists it prints a line
 * for the C preprocessor, with the offset in bytes:
 *
 *	#define OVNIK_AT_STRUCTURE_MEMBER 40
 */
#include <bpf/btf.h>
#include <ctype.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return: the offset in bytes, -1 if there is no such member. */
static int offset_of(const struct btf *btf, const char *structure, const char *member)
{
	int i, id = btf__find_by_name_kind(btf, structure, BTF_KIND_STRUCT);
	const struct btf_type *type;

	if (id < 0)
		return -1;
	type = btf__type_by_id(btf, id);
	for (i = 0; i < btf_vlen(type); i++) {
		const char *name = btf__name_by_offset(btf, btf_members(type)[i].name_off);

		if (name && !strcmp(name, member) && !btf_member_bitfield_size(type, i))
			return btf_member_bit_offset(type, i) / 8;
	}
	return -1;
}

static void print_upper(const char *text)
{
	for (; *text; text++)
		putchar(toupper((unsigned char)*text));
}

static int look_up(const struct btf *btf, const char *path)
{
	char *structure = strdup(path);
	char *dot = structure ? strchr(structure, '.') : NULL;
	int offset;

	if (!dot) {
		fprintf(stderr, "btfoffsets: %s: not STRUCTURE.MEMBER\n", path);
		free(structure);
		return 1;
	}
	*dot = '\0';
	offset = offset_of(btf, structure, dot + 1);
	if (offset >= 0) {
		printf("#define OVNIK_AT_");
		print_upper(structure);
		putchar('_');
		print_upper(dot + 1);
		printf(" %d\n", offset);
	}
	free(structure);
	return 0;
}

int main(int argc, char **argv)
{
	struct btf *btf;
	int i, status = 0;

	if (argc < 3) {
		fprintf(stderr, "usage: btfoffsets BTF STRUCTURE.MEMBER...\n");
		return 2;
	}
	btf = btf__parse(argv[1], NULL);
	if (!btf) {
		fprintf(stderr, "btfoffsets: %s: no BTF can be read\n", argv[1]);
		return 1;
	}
	for (i = 2; i < argc && !status; i++)
		status = look_up(btf, argv[i]);
	btf__free(btf);
	return status;
}
