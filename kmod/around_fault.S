/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Around handle_mm_fault(): what a return probe does, at a tenth of its cost, for
 * there are few functions in the kernel that are called more often. ftrace calls
 * this at the entry of the function; it runs the function's body as a callee, and
 * returns to the caller itself. See around.c for how that is taken away again.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/percpu.h>
#include <asm/unwind_hints.h>

/* The body begins behind the call to here, and an ENDBR if there are such. */
#ifdef CONFIG_X86_KERNEL_IBT
#define BODY	(handle_mm_fault + 9)
#else
#define BODY	(handle_mm_fault + 5)
#endif

	.text
/*
 * vm_fault_t handle_mm_fault(vma, address, flags, regs): all in registers, which
 * nothing here changes before the body runs. On the stack: where the body begins,
 * then where the caller goes on.
 */
SYM_FUNC_START(ovnik_around_fault)
	/* ftrace does not jump to an address: it writes a call. */
	ANNOTATE_NOENDBR
	/* Without regs get_user_pages() asks: no page fault. */
	testq	%rcx, %rcx
	jz	.Lplain
	incq	PER_CPU_VAR(ovnik_around_inside)
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	%rdx
	call	BODY
	popq	%rsi
	pushq	%rax
	movl	%eax, %edi
	call	ovnik_fault_leave
	popq	%rax
	popq	%rbp
	decq	PER_CPU_VAR(ovnik_around_inside)
	addq	$8, %rsp
	UNWIND_HINT_FUNC
	RET
.Lplain:
	UNWIND_HINT_FUNC
	RET
SYM_FUNC_END(ovnik_around_fault)
