/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CANON_CANON_PRIV_H
#define OVNIK_CANON_CANON_PRIV_H

#include "canon/canon.h"

/* Inside the room. Without memory, @c->no_memory is set. */

/* A new canonical page. */
u64 canon_new(struct canon *c, enum canon_kind kind, u32 file, u64 space, u64 page);

/* The canonical page of a file's page. */
u64 canon_of_file(struct canon *c, struct canon_file *file, u64 page);

/* The file that is mapped, or NULL; @path: what it is called, or NULL. */
struct canon_file *canon_file_get(struct canon *c, const struct mm_attrs *what, const char *path);

/* An address space that is not known, or NULL; @id: 0 if no record has named it. */
struct canon_space *canon_space_new(struct canon *c, u64 id);

/* Free an address space. */
void canon_space_free(struct canon *c, struct canon_space *s);

/* Give a page of the kernel's own mapping @vma its canonical page before it is referenced. */
void canon_touch(struct canon *c, struct canon_space *s, const struct mm_vma *vma, u64 page);

#endif /* OVNIK_CANON_CANON_PRIV_H */
