// SPDX-License-Identifier: GPL-2.0-only
/*
 * btfids - write the BTF ids of functions into a kernel module
 *
 *	btfids BASE MODULE
 *
 * MODULE has sections .BTF, which pahole made on top of the BTF of the kernel in BASE (a
 * vmlinux, or /sys/kernel/btf/vmlinux), and .BTF_ids, where BTF_SET8_START() and
 * BTF_ID_FLAGS() left ids of 0. The tool of the kernel for this, resolve_btfids, is
 * missing in Debian's headers of 6.1.
 */
#include <bpf/btf.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FUNC	"__BTF_ID__func__"	/* FUNC name "__" number: a u32 id, u32 flags */
#define SET	"__BTF_ID__set8__"	/* SET name: u32 count, u32 flags, the above */
#define ANY	"__BTF_ID__"

/**
 * struct module - A module's file.
 * @image: mapped, to be changed
 * @size: its length
 * @btf: what its section .BTF holds
 * @ids: section .BTF_ids
 * @ids_index: number of that section
 * @symtab: its symbols
 * @names: of the symbols
 */
struct module {
	char *image;
	size_t size;
	struct btf *btf;
	const Elf64_Shdr *ids;
	unsigned int ids_index;
	const Elf64_Shdr *symtab;
	const Elf64_Shdr *names;
};

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "btfids: ");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static void map_file(struct module *mod, const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		die("%s: %s", path, strerror(errno));
	mod->size = st.st_size;
	mod->image = mmap(NULL, mod->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mod->image == MAP_FAILED)
		die("%s: %s", path, strerror(errno));
	close(fd);
}

/* @len bytes at @offset of the file, which must exist. */
static void *at(const struct module *mod, size_t offset, size_t len)
{
	if (offset > mod->size || len > mod->size - offset)
		die("the module is cut short");
	return mod->image + offset;
}

static void find_sections(struct module *mod, const char *path)
{
	const Elf64_Ehdr *elf = at(mod, 0, sizeof(*elf));
	const Elf64_Shdr *table, *names;
	unsigned int i;

	if (memcmp(elf->e_ident, ELFMAG, SELFMAG) || elf->e_ident[EI_CLASS] != ELFCLASS64 ||
	    elf->e_type != ET_REL)
		die("%s: not a kernel module", path);
	table = at(mod, elf->e_shoff, elf->e_shnum * sizeof(*table));
	names = &table[elf->e_shstrndx];
	for (i = 0; i < elf->e_shnum; i++) {
		if (table[i].sh_type == SHT_SYMTAB) {
			mod->symtab = &table[i];
			mod->names = &table[table[i].sh_link];
		}
		if (!strcmp(at(mod, names->sh_offset + table[i].sh_name, 1), ".BTF_ids")) {
			mod->ids = &table[i];
			mod->ids_index = i;
		}
	}
	if (!mod->symtab || !mod->ids)
		die("%s: no symbols, or no section .BTF_ids", path);
}

static unsigned int *words_of(const struct module *mod, const Elf64_Sym *sym, size_t len)
{
	if (sym->st_value > mod->ids->sh_size || len > mod->ids->sh_size - sym->st_value)
		die("a symbol lies outside of section .BTF_ids");
	return at(mod, mod->ids->sh_offset + sym->st_value, len);
}

static void write_func(const struct module *mod, const Elf64_Sym *sym, const char *name)
{
	char func[256];
	char *number;
	int id;

	snprintf(func, sizeof(func), "%s", name + strlen(FUNC));
	for (number = func + strlen(func); number > func && strncmp(number, "__", 2); number--)
		;
	*number = '\0';
	id = btf__find_by_name_kind(mod->btf, func, BTF_KIND_FUNC);
	if (id <= 0)
		die("%s(): not in the module's BTF", func);
	*words_of(mod, sym, sizeof(id)) = id;
}

static int compare_ids(const void *a, const void *b)
{
	const unsigned int *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void write_set(const struct module *mod, const Elf64_Sym *sym)
{
	unsigned int *set = words_of(mod, sym, sym->st_size);

	if (sym->st_size < 8 || sym->st_size % 8)
		die("a set's size is impossible");
	set[0] = sym->st_size / 8 - 1;
	qsort(set + 2, set[0], 8, compare_ids);
}

/* Functions first: a set is sorted by their ids. */
static void write_ids(const struct module *mod, const char *kind)
{
	const Elf64_Sym *sym = at(mod, mod->symtab->sh_offset, mod->symtab->sh_size);
	const Elf64_Sym *end = sym + mod->symtab->sh_size / sizeof(*sym);

	for (; sym < end; sym++) {
		const char *name = at(mod, mod->names->sh_offset + sym->st_name, 1);

		if (sym->st_shndx != mod->ids_index || strncmp(name, ANY, strlen(ANY)))
			continue;
		if (strncmp(name, FUNC, strlen(FUNC)) && strncmp(name, SET, strlen(SET)))
			die("%s: this program knows functions and sets of them only", name);
		if (strncmp(name, kind, strlen(kind)))
			continue;
		if (!strcmp(kind, FUNC))
			write_func(mod, sym, name);
		else
			write_set(mod, sym);
	}
}

int main(int argc, char **argv)
{
	struct module mod = { 0 };
	struct btf *base;

	if (argc != 3) {
		fprintf(stderr, "usage: btfids BASE MODULE\n");
		return 2;
	}
	base = btf__parse(argv[1], NULL);
	if (!base)
		die("%s: no BTF: %s", argv[1], strerror(errno));
	mod.btf = btf__parse_split(argv[2], base);
	if (!mod.btf)
		die("%s: no BTF: %s", argv[2], strerror(errno));
	map_file(&mod, argv[2]);
	find_sections(&mod, argv[2]);
	write_ids(&mod, FUNC);
	write_ids(&mod, SET);
	return 0;
}
