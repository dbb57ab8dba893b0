// SPDX-License-Identifier: GPL-2.0-only
/* What each canonical page is. */
#include <stdio.h>

#include "merge.h"
#include "util/out.h"

static void put_page(FILE *to, const struct canon *c, u64 nr)
{
	const struct canon_page *page = &c->pages[nr];
	const struct canon_file *file;

	switch ((enum canon_kind)page->kind) {
	case CANON_ANON:
		fprintf(to, "%llx anon %llx %llx\n", nr, page->space, page->page);
		break;
	case CANON_FILE:
		file = c->file_list[page->file];
		fprintf(to, "%llx file %llx %x %x %llx\n", nr, file->ino,
			OVNIK_DEV_MAJOR(file->dev), OVNIK_DEV_MINOR(file->dev), page->page);
		break;
	case CANON_SPECIAL:
		fprintf(to, "%llx special %llx\n", nr, page->page);
		break;
	case CANON_KERNEL:
		fprintf(to, "%llx kernel %llx\n", nr, page->page);
		break;
	case CANON_FRAME:
		fprintf(to, "%llx frame %llx\n", nr, page->page);
		break;
	case CANON_NR_KINDS:
		break;
	}
}

int merge_write_pages(const struct merging *m)
{
	struct out out;
	int ret;
	u64 nr;

	ret = out_open(&out, m->stage.path, "pages.txt");
	if (ret)
		return ret;
	for (nr = 1; nr < m->canon.nr; nr++)
		put_page(out.f, &m->canon, nr);
	return out_close(&out);
}
