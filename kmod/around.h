/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_AROUND_H
#define OVNIK_AROUND_H

#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <linux/static_call.h>

struct file;
struct folio;

/**
 * struct ovnik_around - A function of ours that runs around one of the kernel: see around.c.
 * @stub:     in around_stub.S; ftrace calls it at the entry of the kernel's function
 * @key:      static call of the body of the kernel's function; NULL: the stub goes on there
 * @call:     its trampoline
 * @body:     where the body begins, behind the call of ftrace; found at module load
 * @end:      behind the body; likewise
 * @size:     bytes of the body while attached, otherwise 0; for stubs
 * @ops:      for ftrace
 * @attached: it is attached now
 * @next:     another one
 */
struct ovnik_around {
	void			(*stub)(void);
	struct static_call_key	*key;
	void			*call;
	unsigned long		body;
	unsigned long		end;
	unsigned long		size;
	struct ftrace_ops	ops;
	bool			attached;
	struct ovnik_around	*next;
};

/*
 * Defines ovnik_around_NAME. Its function is ovnik_run_NAME(), whose arguments are those of the
 * kernel's @function, others up to the sixth, and @at, where the stub was called from.
 */
#define OVNIK_AROUND(name, function)						\
	DEFINE_STATIC_CALL_NULL(ovnik_body_##name, function);			\
	void ovnik_stub_##name(void);						\
	struct ovnik_around ovnik_around_##name = {				\
		.stub = ovnik_stub_##name,					\
		.key = &STATIC_CALL_KEY(ovnik_body_##name),			\
		.call = STATIC_CALL_TRAMP_ADDR(ovnik_body_##name),		\
	}

/*
 * The function with which a live patch has replaced the kernel's. Its start is on the stack,
 * where the last argument of ovnik_run_NAME() is; there the body is put, because unwinders look
 * up the place before the return address of the stub, which is to be in a function that calls.
 */
#define ovnik_around_patch(name, at) ({						\
	typeof(STATIC_CALL_TRAMP(ovnik_body_##name)) *__patch = (void *)(at);	\
										\
	WRITE_ONCE(at, ovnik_around_##name.body);				\
	__patch;								\
})

/* Call the body of the kernel's function, or the live patch of it. */
#define ovnik_around_body(name, at, ...)					\
	(likely((at) == ovnik_around_##name.body) ?				\
	 static_call(ovnik_body_##name)(__VA_ARGS__) :				\
	 ovnik_around_patch(name, at)(__VA_ARGS__))

DECLARE_PER_CPU(long, ovnik_around_inside);

/* First and last in ovnik_run_NAME(). */
static __always_inline void ovnik_around_enter(void)
{
	this_cpu_inc(ovnik_around_inside);
}

static __always_inline void ovnik_around_leave(void)
{
	this_cpu_dec(ovnik_around_inside);
}

void ovnik_around_find(struct ovnik_around *around, unsigned long start, unsigned long end);
int ovnik_around_attach(struct ovnik_around *around);
void ovnik_around_detach(struct ovnik_around *around);
void ovnik_around_release(void);
void ovnik_around_settle(void);
void ovnik_around_exit(void);

/* What the stubs call. */
vm_fault_t ovnik_run_fault(struct vm_area_struct *vma, unsigned long address, unsigned int flags,
			   struct pt_regs *regs, unsigned long unused, unsigned long unused_too,
			   unsigned long at);
int ovnik_run_shmem(struct folio *folio, unsigned long mapping, unsigned long index,
		    unsigned long fourth, unsigned long fifth, unsigned long sixth,
		    unsigned long at);

ssize_t ovnik_run_read(struct file *file, char __user *buf, size_t count, loff_t *pos,
		       unsigned long unused, unsigned long unused_too, unsigned long at);
ssize_t ovnik_run_write(struct file *file, const char __user *buf, size_t count, loff_t *pos,
			unsigned long unused, unsigned long unused_too, unsigned long at);

void ovnik_run_verify(int read_write, const struct file *file, const loff_t *pos);
void ovnik_stub_verify(void);

/* The type of a body that no header of the kernel declares. */
int ovnik_shmem_add(struct folio *folio, unsigned long mapping, unsigned long index,
		    unsigned long fourth, unsigned long fifth, unsigned long sixth);

#endif /* OVNIK_AROUND_H */
