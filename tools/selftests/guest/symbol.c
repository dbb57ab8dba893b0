// SPDX-License-Identifier: GPL-2.0-only
/*
 * symbol - where a function lies in a program's file, as ftrace's uprobes want it
 *
 *	symbol FILE NAME
 */

#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *file;

static Elf64_Addr find_symbol(const char *name)
{
	const Elf64_Ehdr *elf = (const void *)file;
	const Elf64_Shdr *sections = (const void *)(file + elf->e_shoff);
	const Elf64_Sym *symbols;
	unsigned int i, j;

	for (i = 0; i < elf->e_shnum; i++) {
		if (sections[i].sh_type != SHT_SYMTAB)
			continue;
		symbols = (const void *)(file + sections[i].sh_offset);
		for (j = 0; j < sections[i].sh_size / sizeof(*symbols); j++) {
			if (!strcmp(file + sections[sections[i].sh_link].sh_offset +
				    symbols[j].st_name, name))
				return symbols[j].st_value;
		}
	}
	errx(1, "no %s", name);
}

static Elf64_Off offset_of(Elf64_Addr address)
{
	const Elf64_Ehdr *elf = (const void *)file;
	const Elf64_Phdr *segments = (const void *)(file + elf->e_phoff);
	unsigned int i;

	for (i = 0; i < elf->e_phnum; i++) {
		const Elf64_Phdr *segment = &segments[i];

		if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
		    address < segment->p_vaddr + segment->p_filesz)
			return address - segment->p_vaddr + segment->p_offset;
	}
	errx(1, "not in the file");
}

int main(int argc, char **argv)
{
	struct stat st;
	int fd;

	if (argc != 3)
		errx(2, "usage: symbol FILE NAME");
	fd = open(argv[1], O_RDONLY);
	if (fd < 0 || fstat(fd, &st))
		err(1, "%s", argv[1]);
	file = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		err(1, "%s", argv[1]);
	if (memcmp(file, ELFMAG, SELFMAG) || file[EI_CLASS] != ELFCLASS64)
		errx(1, "%s: not a program", argv[1]);
	printf("%#llx\n", (unsigned long long)offset_of(find_symbol(argv[2])));
	return 0;
}
