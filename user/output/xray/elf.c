// SPDX-License-Identifier: GPL-2.0-only
/* The ELF file that names the functions of our logs: see elf.h. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/msg.h"
#include "output/xray/elf.h"
#include "output/xray/functions.h"

#define TEXT_ADDR	0x400000ULL
#define MAP_ADDR	0x800000ULL
#define FUNCTION_BYTES	16
#define NR		(XRAY_NR_FUNCTIONS - 1)
#define STRINGS_MAX	(64 * XRAY_NR_FUNCTIONS)

/**
 * struct sled - An entry of the instrumentation map, version 0.
 * @address: of the instrumented place
 * @function: address of its function; the ids are numbered in this order, from 1
 * @kind: 0: its entry
 * @always: instrumented regardless of its length
 * @version: 0: addresses are absolute
 * @pad: 0
 */
struct sled {
	u64 address;
	u64 function;
	u8 kind;
	u8 always;
	u8 version;
	u8 pad[13];
};

_Static_assert(sizeof(struct sled) == 32, "as llvm-xray reads it");

/* Sections, by number. */
enum {
	SECTION_NULL,
	SECTION_TEXT,
	SECTION_MAP,
	SECTION_SYMTAB,
	SECTION_STRTAB,
};

/* Offsets: ".text" is at 1, and so on; the functions' names follow. */
static const char section_names[] = "\0.text\0xray_instr_map\0.symtab\0.strtab";

/**
 * struct contents - The contents of the sections. libelf does not copy them.
 * @text: the functions: nothing
 * @sleds: the map
 * @symbols: the symbols, after an empty one
 * @strings: names of sections and functions
 * @len: bytes of @strings
 */
struct contents {
	u8 text[NR * FUNCTION_BYTES];
	struct sled sleds[NR];
	Elf64_Sym symbols[XRAY_NR_FUNCTIONS];
	char strings[STRINGS_MAX];
	u32 len;
};

static void fill(struct contents *c)
{
	unsigned int id;

	memcpy(c->strings, section_names, sizeof(section_names));
	c->len = sizeof(section_names);
	for (id = 1; id < XRAY_NR_FUNCTIONS; id++) {
		u64 address = TEXT_ADDR + (id - 1) * FUNCTION_BYTES;

		c->sleds[id - 1].address = address;
		c->sleds[id - 1].function = address;
		c->symbols[id].st_name = c->len;
		c->symbols[id].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
		c->symbols[id].st_shndx = SECTION_TEXT;
		c->symbols[id].st_value = address;
		c->symbols[id].st_size = FUNCTION_BYTES;
		c->len += snprintf(c->strings + c->len, sizeof(c->strings) - c->len, "%s",
				   xray_function_names[id]) + 1;
	}
}

static bool add_section(Elf *elf, const Elf64_Shdr *header, void *buf, Elf_Type type)
{
	Elf_Scn *section = elf_newscn(elf);
	Elf_Data *data = section ? elf_newdata(section) : NULL;
	Elf64_Shdr *to = section ? elf64_getshdr(section) : NULL;

	if (!data || !to)
		return false;
	*to = *header;
	data->d_buf = buf;
	data->d_size = header->sh_size;
	data->d_type = type;
	data->d_align = header->sh_addralign;
	data->d_version = EV_CURRENT;
	return true;
}

static u32 section_name(const char *name)
{
	u32 at = 1;

	while (strcmp(section_names + at, name))
		at += strlen(section_names + at) + 1;
	return at;
}

static bool add_sections(Elf *elf, struct contents *c)
{
	const Elf64_Shdr text = {
		.sh_name = section_name(".text"), .sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = TEXT_ADDR,
		.sh_size = sizeof(c->text), .sh_addralign = FUNCTION_BYTES,
	};
	const Elf64_Shdr map = {
		.sh_name = section_name("xray_instr_map"), .sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC, .sh_addr = MAP_ADDR, .sh_size = sizeof(c->sleds),
		.sh_addralign = sizeof(u64),
	};
	const Elf64_Shdr symtab = {
		.sh_name = section_name(".symtab"), .sh_type = SHT_SYMTAB,
		.sh_size = sizeof(c->symbols), .sh_link = SECTION_STRTAB, .sh_info = 1,
		.sh_addralign = sizeof(u64), .sh_entsize = sizeof(Elf64_Sym),
	};
	const Elf64_Shdr strtab = {
		.sh_name = section_name(".strtab"), .sh_type = SHT_STRTAB, .sh_size = c->len,
		.sh_addralign = 1,
	};

	return add_section(elf, &text, c->text, ELF_T_BYTE) &&
	       add_section(elf, &map, c->sleds, ELF_T_BYTE) &&
	       add_section(elf, &symtab, c->symbols, ELF_T_SYM) &&
	       add_section(elf, &strtab, c->strings, ELF_T_BYTE);
}

static bool build(Elf *elf, struct contents *c)
{
	Elf64_Ehdr *header = elf64_newehdr(elf);

	if (!header)
		return false;
	header->e_ident[EI_DATA] = ELFDATA2LSB;
	header->e_type = ET_EXEC;
	header->e_machine = EM_X86_64;
	header->e_version = EV_CURRENT;
	header->e_shstrndx = SECTION_STRTAB;
	return add_sections(elf, c) && elf_update(elf, ELF_C_WRITE) >= 0;
}

int elf_check(void)
{
	return 0;
}

int elf_write_map(const char *dir)
{
	struct contents contents = { 0 };
	char path[PATH_MAX];
	int fd, ret = 0;
	Elf *elf;

	snprintf(path, sizeof(path), "%s/" ELF_MAP_NAME, dir);
	elf_version(EV_CURRENT);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return report_error(path, "cannot write", errno);
	fill(&contents);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	if (!elf || !build(elf, &contents)) {
		msg_error("%s: cannot write: %s", path, elf_errmsg(-1));
		ret = -EIO;
	}
	elf_end(elf);
	if (close(fd) && !ret)
		ret = report_error(path, "cannot write", errno);
	return ret;
}
