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
