// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pagemap.h>

/* Does not compile where pagemap.h declares it as something else. */
int hugetlb_basepage_index;
