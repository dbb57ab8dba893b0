// SPDX-License-Identifier: GPL-2.0-only
/* Symbols of a binary of unknown origin: see symbols.h. */
#include <errno.h>
#include <stdlib.h>

#include <gelf.h>

#include "xray/symbols.h"

/* Of several names of a function, that which others see. A mere label may only say what follows. */
static u32 rank_of(const GElf_Sym *sym)
{
	if (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE)
		return 3;
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_GLOBAL:
		return 0;
	case STB_WEAK:
		return 1;
	default:
		return 2;
	}
}

static bool is_function(const GElf_Sym *sym)
{
	const u32 type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

static void add(struct xray_symbols *s, const struct xray_strings *strings, const GElf_Sym *sym,
		u32 index)
{
	const char *name = is_function(sym) ? xray_string_at(strings, sym->st_name) : NULL;

	if (name && *name)
		s->all[s->nr++] = (struct xray_symbol){ sym->st_value, name, rank_of(sym), index };
}

void xray_strings_read(struct xray_strings *s, struct Elf *elf, u64 section)
{
	Elf_Scn *scn = elf_getscn(elf, section);
	Elf_Data *data;
	GElf_Shdr shdr;

	*s = (struct xray_strings){ 0 };
	if (!scn || !gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_STRTAB ||
	    shdr.sh_flags & SHF_COMPRESSED)
		return;
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf || !data->d_size)
		return;
	s->text = data->d_buf;
	if (!s->text[data->d_size - 1])
		s->size = data->d_size;
}

static int read_table(struct xray_symbols *s, Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t size = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT), nr, i;
	struct xray_strings strings;
	GElf_Sym sym;

	nr = data && size ? data->d_size / size : 0;
	s->all = calloc(nr + 1, sizeof(*s->all));
	if (!s->all)
		return -ENOMEM;
	xray_strings_read(&strings, elf, shdr->sh_link);
	for (i = 0; i < nr && i < INT32_MAX && gelf_getsym(data, i, &sym); i++)
		add(s, &strings, &sym, i);
	return 0;
}

static Elf_Scn *find_table(Elf *elf, GElf_Shdr *shdr, u32 type)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		if (gelf_getshdr(scn, shdr) && shdr->sh_type == type &&
		    !(shdr->sh_flags & SHF_COMPRESSED))
			return scn;
	}
	return NULL;
}

static int by_address(const void *a, const void *b)
{
	const struct xray_symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

int xray_symbols_read(struct xray_symbols *s, struct Elf *elf)
{
	GElf_Shdr shdr;
	Elf_Scn *scn;
	int ret;

	*s = (struct xray_symbols){ 0 };
	scn = find_table(elf, &shdr, SHT_SYMTAB) ?: find_table(elf, &shdr, SHT_DYNSYM);
	ret = scn ? read_table(s, elf, scn, &shdr) : 0;
	if (s->nr)
		qsort(s->all, s->nr, sizeof(*s->all), by_address);
	return ret;
}

const char *xray_symbols_find(const struct xray_symbols *s, u64 address)
{
	u32 low = 0, high = s->nr;

	while (low < high) {
		u32 mid = low + (high - low) / 2;

		if (s->all[mid].address < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->nr && s->all[low].address == address ? s->all[low].name : NULL;
}

void xray_symbols_free(struct xray_symbols *s)
{
	free(s->all);
	*s = (struct xray_symbols){ 0 };
}
