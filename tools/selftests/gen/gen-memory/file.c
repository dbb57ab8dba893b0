// SPDX-License-Identifier: GPL-2.0-only
/* Processes use files, and the page cache changes. */
#include "memory.h"

static u64 pfn_of(u32 file, u32 page)
{
	return 0x80000 + file * FILE_PAGES + page;
}

static void page_change(u32 cpu, u32 file, u32 page, u16 order, bool add)
{
	u32 i;

	for (i = page; i < page + (1U << order); i++)
		cached[file][i] = add;
	if (add) {
		struct ovnik_page_add *rec = RECORD(cpu, page_add);

		rec->order = order;
		rec->dev = DEV;
		rec->ino = 1 + file;
		rec->offset = page * PAGE;
		rec->pfn = pfn_of(file, page);
	} else {
		struct ovnik_page_remove *rec = RECORD(cpu, page_remove);

		rec->order = order;
		rec->dev = DEV;
		rec->ino = 1 + file;
		rec->offset = page * PAGE;
		rec->pfn = pfn_of(file, page);
	}
}

void step_page(u32 cpu)
{
	u32 file = draw(FILES), page = draw(FILE_PAGES / 4) * 4, i;
	u16 order = draw(3);
	bool add = !cached[file][page];
	struct ovnik_buffer_add *rec;

	for (i = page; i < page + (1U << order); i++) {
		if (cached[file][i] == add)
			return;
	}
	page_change(cpu, file, page, order, add);
	rec = RECORD(cpu, buffer_add);
	rec->dev = DEV;
	rec->pfn = 0x90000 + draw(64);
	rec->offset = draw(64) * PAGE;
	if (draw(2)) {
		struct ovnik_buffer_remove *gone = RECORD(cpu, buffer_remove);

		gone->dev = DEV;
		gone->pfn = rec->pfn;
		gone->offset = rec->offset;
	}
}

static void read_and_write(u32 cpu, const struct proc *p, u64 ino)
{
	struct ovnik_file_begin *begin = RECORD(cpu, file_begin);
	bool fails = !draw(8);

	begin->op = OVNIK_OP_READ;
	begin->tid = p->tid;
	if (draw(2)) {
		struct ovnik_file_read *rec = RECORD(cpu, file_read);

		rec->op = OVNIK_OP_READ;
		rec->tid = p->tid;
		rec->dev = DEV;
		rec->ino = ino;
		rec->offset = draw(100000) * (PAGE / SMALL);
		rec->result = fails ? (u32)-5 : draw(10000);
	} else {
		struct ovnik_file_write *rec = RECORD(cpu, file_write);

		rec->op = OVNIK_OP_WRITE;
		rec->tid = p->tid;
		rec->dev = DEV;
		rec->ino = ino;
		rec->offset = draw(100000) * (PAGE / SMALL);
		rec->result = fails ? (u32)-28 : draw(10000);
	}
}

void step_file(u32 cpu, const struct proc *p)
{
	u64 ino = 1 + draw(FILES);
	struct ovnik_file_close *close;
	struct ovnik_file_open *open;
	u32 i;

	open = RECORD_STR(cpu, file_open, path_of(ino));
	open->tid = p->tid;
	open->dev = DEV;
	open->ino = ino;
	for (i = draw(4); i; i--)
		read_and_write(cpu, p, ino);
	close = RECORD(cpu, file_close);
	close->tid = p->tid;
	close->dev = DEV;
	close->ino = ino;
	if (!draw(4)) {
		struct ovnik_file_truncate *rec = RECORD(cpu, file_truncate);

		rec->tid = p->tid;
		rec->dev = DEV;
		rec->ino = ino;
	}
	if (!draw(4)) {
		struct ovnik_file_rename *rec = RECORD_STR(cpu, file_rename, "/data/new");

		rec->tid = p->tid;
		rec->dev = DEV;
		rec->ino = ino;
	}
	if (!draw(4)) {
		struct ovnik_file_delete *rec = RECORD(cpu, file_delete);

		rec->dev = DEV;
		rec->ino = 1000 + ino;
	}
}
