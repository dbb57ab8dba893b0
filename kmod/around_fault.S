/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Around handle_mm_fault(): a return probe at a tenth of its cost, because few functions of
 * the kernel are called more often. ftrace calls this at the entry of the function. It
 * calls the body of the function and returns to the caller itself. See around.c for how it
 * is detached.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/nospec-branch.h>
#include <asm/percpu.h>
#include <asm/unwind_hints.h>

/* The body begins after the call to here, and after an ENDBR if the kernel has them. */
#ifdef CONFIG_X86_KERNEL_IBT
#define BODY	(handle_mm_fault + 9)
#else
#define BODY	(handle_mm_fault + 5)
#endif

	.text
/*
 * vm_fault_t handle_mm_fault(vma, address, flags, regs): all in registers, which nothing
 * here changes before the body runs. On the stack: the start of the body, then the return
 * address of the caller. A live patch has put the start of its own function there instead.
 */
SYM_FUNC_START(ovnik_around_fault)
	/* ftrace writes a direct call here, not an indirect jump. */
	ANNOTATE_NOENDBR
	/* get_user_pages() passes no regs: not a page fault. */
	testq	%rcx, %rcx
	jz	.Lplain
	incq	PER_CPU_VAR(ovnik_around_inside)
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	%rdx
	cmpq	$BODY, 8(%rbp)
	jne	.Lpatched
	call	BODY
.Lreturned:
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
.Lpatched:
	movq	8(%rbp), %rax
	/* Unwinders look up the place before this one, which is to be of a function that calls. */
	movq	$BODY, 8(%rbp)
	CALL_NOSPEC rax
	jmp	.Lreturned
.Lplain:
	UNWIND_HINT_FUNC
	RET
SYM_FUNC_END(ovnik_around_fault)
