// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>

int probe(struct ma_state *mas, struct mm_struct *mm);
int probe(struct ma_state *mas, struct mm_struct *mm)
{
	return do_mas_munmap(mas, mm, 0, 0, NULL, false);
}
