// SPDX-License-Identifier: GPL-2.0-only
/* A binary's instrumentation map and symbols, all untrusted: see names.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>

#include "util/msg.h"
#include "xray/demangle.h"
#include "xray/format.h"
#include "xray/names.h"

#define MAP_SECTION	"xray_instr_map"
#define SLED_WORDS	4	/* size of an entry, in words of the binary */
#define RELATIVE_FROM	2	/* version of the first entries that are relative */

/**
 * struct map - The section while it is read.
 * @n: gets the functions
 * @elf: the file
 * @data: a copy of the section
 * @size: bytes of it
 * @address: where it will be in memory
 * @word: bytes of a word: 4 or 8
 * @big_endian: byte order
 * @relative: number of the machine's relative relocation; 0: unknown machine
 */
struct map {
	struct xray_names *n;
	Elf *elf;
	u8 *data;
	u64 size;
	u64 address;
	u32 word;
	bool big_endian;
	u32 relative;
};

static int refuse(const struct xray_names *n, const char *what)
{
	n->say("%s: %s", n->path, what);
	return -EINVAL;
}

static u64 word_at(const struct map *map, u64 at)
{
	u64 value = 0;
	u32 i;

	for (i = 0; i < map->word; i++) {
		u32 byte = map->big_endian ? i : map->word - 1 - i;

		value = value << 8 | map->data[at + byte];
	}
	return value;
}

static void set_word(struct map *map, u64 at, u64 value)
{
	u32 i;

	for (i = 0; i < map->word; i++) {
		u32 byte = map->big_endian ? map->word - 1 - i : i;

		map->data[at + byte] = value >> (8 * i);
	}
}

static u64 function_at(const struct map *map, u64 at)
{
	u64 here = at + map->word;
	u64 function = word_at(map, here);
	u8 version = map->data[at + 2ULL * map->word + 2];

	if (version >= RELATIVE_FROM)
		function += map->address + here;
	return map->word == 8 ? function : (u32)function;
}

static int add_function(struct xray_names *n, u64 address)
{
	u64 *grown;
	u32 room;

	if (n->nr == XRAY_FUNCTION_MAX)
		return refuse(n, "section " MAP_SECTION " has more functions than a log can name");
	if (n->nr == n->room) {
		room = n->room ? 2 * n->room : 256;
		grown = realloc(n->address, room * sizeof(*grown));
		if (!grown)
			return msg_no_memory();
		n->address = grown;
		n->room = room;
	}
	n->address[n->nr++] = address;
	return 0;
}

/* Number the functions: consecutive entries of one function count once. */
static int read_entries(const struct map *map)
{
	u64 at, size = SLED_WORDS * map->word;
	struct xray_names *n = map->n;
	int ret = 0;

	if (map->size % size)
		return refuse(n, "section " MAP_SECTION " has another size than its entries");
	for (at = 0; at < map->size && !ret; at += size) {
		u64 function = function_at(map, at);

		if (!n->nr || function != n->address[n->nr - 1])
			ret = add_function(n, function);
	}
	return ret;
}

/* In a position-independent binary, only the relocations have the absolute addresses. */
static void relocate(struct map *map, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Rela rela;
	size_t i, nr;

	if (!data || !shdr->sh_entsize)
		return;
	nr = shdr->sh_size / shdr->sh_entsize;
	for (i = 0; i < nr && gelf_getrela(data, i, &rela); i++) {
		u64 at = rela.r_offset - map->address;

		if (GELF_R_TYPE(rela.r_info) == map->relative && map->size >= map->word &&
		    at <= map->size - map->word)
			set_word(map, at, rela.r_addend);
	}
}

static void relocate_all(struct map *map)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while (map->relative && (scn = elf_nextscn(map->elf, scn))) {
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_RELA)
			relocate(map, scn, &shdr);
	}
}

static Elf_Scn *find_map(const struct map *map, GElf_Shdr *shdr)
{
	struct xray_strings strings;
	Elf_Scn *scn = NULL;
	const char *name;
	size_t index;

	if (elf_getshdrstrndx(map->elf, &index))
		return NULL;
	xray_strings_read(&strings, map->elf, index);
	while ((scn = elf_nextscn(map->elf, scn))) {
		if (!gelf_getshdr(scn, shdr))
			continue;
		name = xray_string_at(&strings, shdr->sh_name);
		if (name && !strcmp(name, MAP_SECTION) && shdr->sh_type != SHT_NOBITS)
			return scn;
	}
	return NULL;
}

static u32 relative_of(const GElf_Ehdr *ehdr)
{
	if (ehdr->e_type != ET_DYN)
		return 0;
	switch (ehdr->e_machine) {
	case EM_X86_64:
		return R_X86_64_RELATIVE;
	case EM_AARCH64:
		return R_AARCH64_RELATIVE;
	case EM_PPC64:
		return R_PPC64_RELATIVE;
	default:
		return 0;
	}
}

static int read_map(struct map *map)
{
	GElf_Ehdr ehdr;
	GElf_Shdr shdr;
	Elf_Data *data;
	Elf_Scn *scn;

	if (elf_kind(map->elf) != ELF_K_ELF || !gelf_getehdr(map->elf, &ehdr))
		return refuse(map->n, "is no ELF file");
	map->word = gelf_getclass(map->elf) == ELFCLASS32 ? 4 : 8;
	map->big_endian = ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	map->relative = relative_of(&ehdr);
	scn = find_map(map, &shdr);
	if (!scn)
		return refuse(map->n,
				"has no section " MAP_SECTION ": it was not built with -fxray-instrument");
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf || !data->d_size)
		return refuse(map->n, "section " MAP_SECTION " cannot be read");
	map->data = malloc(data->d_size);
	if (!map->data)
		return msg_no_memory();
	memcpy(map->data, data->d_buf, data->d_size);
	map->size = data->d_size;
	map->address = shdr.sh_addr;
	relocate_all(map);
	return read_entries(map);
}

/* Without symbols there are no names, but that is no error. */
static int read_all(struct map *map)
{
	return read_map(map) ?: xray_symbols_read(&map->n->symbols, map->elf);
}

/* Its sections are in memory, and there may be as many as it has room for. */
static int check_size(const struct xray_names *n, int fd)
{
	struct stat st;

	if (fstat(fd, &st) || (u64)st.st_size <= XRAY_BINARY_MAX)
		return 0;
	n->say("%s: has %lld bytes, the limit is %llu: without debug information it has fewer (strip -g)",
	       n->path, (long long)st.st_size, XRAY_BINARY_MAX);
	return -EFBIG;
}

static int open_map(struct xray_names *n)
{
	struct map map = { .n = n };
	int fd, ret;

	fd = open(n->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0) {
		ret = -errno;
		n->say("%s: cannot open: %s", n->path, strerror(errno));
		return ret;
	}
	ret = check_size(n, fd);
	if (ret) {
		close(fd);
		return ret;
	}
	elf_version(EV_CURRENT);
	map.elf = elf_begin(fd, ELF_C_READ, NULL);
	n->elf = map.elf;
	ret = map.elf ? read_all(&map) : refuse(n, "is no ELF file");
	close(fd);
	free(map.data);
	return ret;
}

static int names_open(struct xray_names *n, const char *path, void (*say)(const char *fmt, ...))
{
	memset(n, 0, sizeof(*n));
	n->path = path;
	n->say = say;
	demangle_begin();
	return open_map(n);
}

static const char *symbol_of(const struct xray_names *n, u32 function)
{
	if (!function || function > n->nr)
		return NULL;
	return xray_symbols_find(&n->symbols, n->address[function - 1]);
}

/* Replace characters that would end a line or confuse a viewer. */
static void end_name(char *to, size_t len)
{
	size_t i;

	for (i = 0; i < len && i + 1 < XRAY_NAME_MAX; i++)
		to[i] = to[i] >= ' ' && to[i] <= '~' ? to[i] : '?';
	to[i] = '\0';
	if (i < len)
		memcpy(to + i - 3, "...", 3);
}

static bool names_get(const struct xray_names *n, u32 function, char *to)
{
	const char *name = symbol_of(n, function);
	size_t len;

	if (!name)
		return false;
	len = demangle(name, to, XRAY_NAME_MAX);
	if (!len) {
		len = strnlen(name, XRAY_NAME_MAX);
		memcpy(to, name, len);
	}
	end_name(to, len);
	return true;
}

static void names_close(struct xray_names *n)
{
	xray_symbols_free(&n->symbols);
	elf_end(n->elf);
	free(n->address);
	memset(n, 0, sizeof(*n));
}

const struct xray_names_ops xray_names_elf = {
	.open = names_open,
	.get = names_get,
	.close = names_close,
};
