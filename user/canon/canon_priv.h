/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CANON_CANON_PRIV_H
#define OVNIK_CANON_CANON_PRIV_H

#include "canon/canon.h"

/* Pages between which the kernel maps all frames: its Documentation/arch/x86/x86_64/mm.rst. */
#define CANON_LINEAR_FIRST	0xffff888000000ULL
#define CANON_LINEAR_END	0xffffe90000000ULL
#define CANON_LINEAR_ALIGN	(1ULL << 18)		/* pages: 1 GiB */
/* It has at least 1 TiB: see kernel_randomize_memory(). What vmalloc() gives may follow. */
#define CANON_LINEAR_PAGES	(1ULL << 28)

/* An entry: a copy that was not referenced yet. */
#define CANON_COPY		(1ULL << 62)

/* Inside the room. Without memory, @c->no_memory is set. */

/* A new canonical page. */
u64 canon_new(struct canon *c, enum canon_kind kind, u32 file, u64 space, u64 page);

/* The frame has this page from now on, and no other. */
void canon_bind(struct canon *c, u64 nr, u64 frame);

/* The page has no frame that is known. */
void canon_unbind(struct canon *c, u64 nr);

/* The frame that the log has for a user page, plus 1, or 0. */
u64 canon_frame_of(const struct canon *c, u64 cr3, u64 page);

/* Change an entry of an address space other than the kernel's. */
void canon_set(struct canon *c, u64 *entry, u64 value);

/* The canonical page of a file's page. */
u64 canon_of_file(struct canon *c, struct canon_file *file, u64 page);

/* The file that is mapped, or NULL; @path: what it is called, or NULL. */
struct canon_file *canon_file_get(struct canon *c, const struct mm_attrs *what, const char *path);

/* A process gets a copy of a page of what is mapped, if this is a file. */
void canon_note_copy(struct canon *c, const struct mm_attrs *what);

/* An address space that is not known, or NULL; @id: 0 if no record has named it. */
struct canon_space *canon_space_new(struct canon *c, u64 id);

/* Free an address space. */
void canon_space_free(struct canon *c, struct canon_space *s);

/* Give a page of the kernel's own mapping @vma its canonical page before it is referenced. */
void canon_touch(struct canon *c, struct canon_space *s, const struct mm_vma *vma, u64 page);

#endif /* OVNIK_CANON_CANON_PRIV_H */
