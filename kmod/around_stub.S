/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ftrace calls a stub at the entry of a function of the kernel. The arguments are in registers,
 * and on the stack are where the stub was called from, which is the body of the function, and
 * the return address of its caller. The stub calls a function of ours with the same arguments:
 * the first of the two words is its seventh. That one calls the body, and the stub returns to the
 * caller in the place of the function. See around.c.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/nospec-branch.h>
#include <asm/unwind_hints.h>

#include "offsets.h"

	.text

.macro STUB_BEGIN name
SYM_FUNC_START(ovnik_stub_\name)
	/* ftrace writes a direct call here, not an indirect jump. */
	ANNOTATE_NOENDBR
.endm

.macro STUB_RUN name
	call	ovnik_run_\name
	addq	$8, %rsp
	UNWIND_HINT_FUNC
	RET
.endm

/* Behind this label: go on in the body, nothing of this call is of interest. */
.macro STUB_PLAIN name
.Lplain_\name:
	UNWIND_HINT_FUNC
	RET
.endm

.macro STUB_END name
SYM_FUNC_END(ovnik_stub_\name)
.endm

/* vm_fault_t handle_mm_fault(vma, address, flags, regs) */
STUB_BEGIN fault
	/* get_user_pages() passes no regs: not a page fault. */
	testq	%rcx, %rcx
	jz	.Lplain_fault
	STUB_RUN fault
	STUB_PLAIN fault
STUB_END fault

/* int shmem_add_to_page_cache(folio, mapping, index, …) */
STUB_BEGIN shmem
	STUB_RUN shmem
STUB_END shmem

/*
 * ssize_t vfs_read(file, buf, count, pos), vfs_write(): of files and block devices. Whoever reads
 * from a terminal or a pipe may sleep there for ever, but not in code that can be unloaded.
 */
.macro STUB_OF_FILE name
	movq	FILE_INODE(%rdi), %rax
	movzwl	INODE_MODE(%rax), %eax
	andl	$MODE_TYPE, %eax
	cmpl	$MODE_FILE, %eax
	je	.Lfile_\name
	cmpl	$MODE_BLOCK, %eax
	jne	.Lplain_\name
.Lfile_\name:
	STUB_RUN \name
	STUB_PLAIN \name
.endm

STUB_BEGIN read
	STUB_OF_FILE read
STUB_END read

STUB_BEGIN write
	STUB_OF_FILE write
STUB_END write

/* To the plain end if the stub was called by a function that is run around. */
.macro PLAIN_WITHIN name, around
	movq	8(%rsp), %rax
	subq	ovnik_around_\around + AROUND_BODY(%rip), %rax
	cmpq	ovnik_around_\around + AROUND_SIZE(%rip), %rax
	jb	.Lplain_\name
.endm

/*
 * int rw_verify_area(read_write, file, ppos, count): what is around vfs_read() and vfs_write()
 * needs nothing of it. Others are told, and the body follows.
 */
STUB_BEGIN verify
	PLAIN_WITHIN verify, read
	PLAIN_WITHIN verify, write
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%rcx
	call	ovnik_run_verify
	popq	%rcx
	popq	%rdx
	popq	%rsi
	popq	%rdi
	STUB_PLAIN verify
STUB_END verify
