// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the kernel maps memory and its struct pages, from the program headers of /proc/kcore:
 * for kernels whose /proc/kallsyms has no variables.
 */
#include <bpf/btf.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "bpf.h"

#define FRAME_SHIFT	12
#define FRAME_MASK	(~4095ULL)
#define BASE_ALIGN	(1ULL << 30)	/* kernel_randomize_memory() */
#define NO_ADDRESS	(~0ULL)		/* p_paddr of a range that is not memory */
#define HEADERS_MAX	4096

static Elf64_Phdr *read_headers(unsigned int *nr)
{
	int fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	Elf64_Phdr *headers = NULL;
	Elf64_Ehdr elf;
	ssize_t size;

	if (fd < 0)
		return NULL;
	if (read(fd, &elf, sizeof(elf)) == sizeof(elf) && elf.e_phnum <= HEADERS_MAX) {
		*nr = elf.e_phnum;
		size = *nr * sizeof(*headers);
		headers = malloc(size);
		if (headers && pread(fd, headers, size, elf.e_phoff) != size) {
			free(headers);
			headers = NULL;
		}
	}
	close(fd);
	return headers;
}

static u64 page_struct_size(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	const struct btf_type *type;
	u64 size = 0;
	int id;

	id = btf ? btf__find_by_name_kind(btf, "page", BTF_KIND_STRUCT) : -1;
	type = id > 0 ? btf__type_by_id(btf, id) : NULL;
	if (type)
		size = type->size;
	btf__free(btf);
	return size;
}

/* Memory has a physical address, and its mapping begins at a multiple of 1 GiB. */
static u64 base_of(const Elf64_Phdr *memory)
{
	u64 base = memory->p_vaddr - memory->p_paddr;

	if (memory->p_type != PT_LOAD || memory->p_paddr == NO_ADDRESS || base % BASE_ALIGN)
		return 0;
	return memory->p_vaddr >> 63 ? base : 0;
}

/* If @pages is where the struct pages of @memory are: the place of that of frame 0. */
static u64 pages_base(const Elf64_Phdr *memory, const Elf64_Phdr *pages, u64 size)
{
	u64 from = (memory->p_paddr >> FRAME_SHIFT) * size;
	u64 to = ((memory->p_paddr + memory->p_memsz) >> FRAME_SHIFT) * size;
	u64 base = pages->p_vaddr - (from & FRAME_MASK);
	u64 length = ((to + ~FRAME_MASK) & FRAME_MASK) - (from & FRAME_MASK);

	if (pages->p_type != PT_LOAD || pages->p_paddr != NO_ADDRESS || base % BASE_ALIGN)
		return 0;
	return pages->p_memsz == length ? base : 0;
}

/**
 * bpf_kcore_bases() - Find out where the kernel maps memory.
 * @vmemmap:	 is set to the value of the kernel's vmemmap_base
 * @page_offset: is set to that of page_offset_base
 *
 * Return: true if both are known.
 */
bool bpf_kcore_bases(u64 *vmemmap, u64 *page_offset)
{
	u64 size = page_struct_size();
	unsigned int i, j, nr = 0;
	Elf64_Phdr *headers = read_headers(&nr);

	*vmemmap = 0;
	*page_offset = 0;
	for (i = 0; headers && i < nr && !*vmemmap; i++) {
		u64 base = base_of(&headers[i]);

		if (base && size)
			*page_offset = base;
		for (j = 0; base && j < nr && !*vmemmap; j++)
			*vmemmap = pages_base(&headers[i], &headers[j], size);
	}
	free(headers);
	return *vmemmap && *page_offset;
}
