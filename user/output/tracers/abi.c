// SPDX-License-Identifier: GPL-2.0-only
/* The version of a tracer in a shared object: see abi.h. */
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "output/tracers/abi.h"
#include "util/file.h"

/* Bytes of the file that are at an address when it is loaded. */
static bool read_at(int fd, Elf *elf, u64 address, void *to, size_t bytes)
{
	GElf_Phdr part;
	size_t i, nr;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, i, &part) || part.p_type != PT_LOAD ||
		    address < part.p_vaddr || address - part.p_vaddr >= part.p_filesz)
			continue;
		return pread_all(fd, to, bytes, part.p_offset + address - part.p_vaddr) ==
		       (ssize_t)bytes;
	}
	return false;
}

static bool find_in(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const char *symbol,
		    GElf_Sym *found)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const char *name;
	int i;

	for (i = 0; data && gelf_getsym(data, i, found); i++) {
		name = elf_strptr(elf, header->sh_link, found->st_name);
		if (name && found->st_shndx != SHN_UNDEF && !strcmp(name, symbol))
			return true;
	}
	return false;
}

static bool find_symbol(Elf *elf, const char *symbol, GElf_Sym *found)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM &&
		    find_in(elf, section, &header, symbol, found))
			return true;
	}
	return false;
}

bool tracer_abi_in(const char *path, const char *symbol, u32 *abi)
{
	GElf_Sym found;
	bool ok = false;
	Elf *elf;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && find_symbol(elf, symbol, &found))
		ok = read_at(fd, elf, found.st_value, abi, sizeof(*abi));
	elf_end(elf);
	close(fd);
	return ok;
}
