// SPDX-License-Identifier: GPL-2.0-only
/*
 * ovnik-refs.so - a plugin of QEMU that logs all memory references of a guest
 *
 * Off, it only looks for the instruction that switches it on. See refs-format.rst.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "insn.h"
#include "options.h"
#include "qemu.h"
#include "refs/encode.h"
#include "ring.h"

#define EXPORT	__attribute__((visibility("default")))

EXPORT int qemu_plugin_version = QEMU_API;
EXPORT int qemu_plugin_install(u64 id, const struct qemu_info *info, int argc, char **argv);

#define PAGES	4096U		/* that were seen last */
#define SHAPES	64U		/* of accesses, likewise */
#define READ_TSC	(1ULL << 63)	/* in an epoch: the registers have it */

/* What an entry of exceptions is. */
enum entry { ENTRY_UNKNOWN, ENTRY_NO, ENTRY_PLAIN, ENTRY_ERROR };

/* Numbers as in instructions. */
enum { RAX = 0, RDX = 2, RSP = 4, RIP = 16, CR3 = 17, NR_REGISTERS };

static const char *const names[NR_REGISTERS] = {
	"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12",
	"r13", "r14", "r15", "rip", "cr3",
};

/* The only CPU. */
static struct {
	u64 id;
	u64 *words;			/* the chunk */
	u64 *to;
	u64 *end;
	u64 *index;			/* of the instruction that has begun last */
	u64 epoch;			/* of translations */
	u64 pages_epoch[2];		/* of user and kernel */
	u64 pages[PAGES];
	struct refs_code *code;		/* that was executed last */
	bool fresh;			/* nothing was logged yet */
	bool user_tsc;			/* user code reads the TSC, or is not allowed to */
	struct qemu_u64 index_score;
	struct qemu_plugin_register *registers[NR_REGISTERS];
	struct g_byte_array *bytes;
} cpu = { .epoch = 1 };

static void __attribute__((noinline)) next_chunk(void)
{
	cpu.words = ring_next((u32)(cpu.to - cpu.words));
	cpu.to = cpu.words;
	cpu.end = cpu.words + RING_CHUNK;
}

static inline void put(u64 word)
{
	*cpu.to++ = word;
	if (unlikely(cpu.to == cpu.end))
		next_chunk();
}

static u64 read_register(unsigned int i)
{
	u64 value = 0;

	g_byte_array_set_size(cpu.bytes, 0);
	qemu_plugin_read_register(cpu.registers[i], cpu.bytes);
	memcpy(&value, cpu.bytes->data, sizeof(value));
	return value;
}

#define FRAME	6	/* words, with an error code in front */

static bool is_frame(const u64 *frame)
{
	bool code = frame[1] == 0x10 || frame[1] == 0x33 || frame[1] == 0x23;
	bool stack = !frame[4] || frame[4] == 0x18 || frame[4] == 0x2b;

	return code && stack && (frame[2] & 2) && frame[2] < 1 << 22;
}

static u64 address_of(const struct refs_code *code, u64 insn)
{
	u64 address = code->at;
	u64 i;

	for (i = 0; i < insn; i++)
		address += code->lengths[i];
	return address;
}

/* By the frame on the stack: does code begin with an exception, with an error code or without? */
static enum entry kind_of_entry(const u64 *frame)
{
	if (is_frame(frame))
		return ENTRY_PLAIN;
	return is_frame(frame + 1) ? ENTRY_ERROR : ENTRY_NO;
}

/* The last instruction before has not ended, if exceptions come from there. Does that cost time? */
static bool is_fault(enum entry entry)
{
	if (entry == ENTRY_PLAIN)
		return cpu.code->last_faults == INSN_FAULTS_PLAIN;
	return (s64)cpu.code->at < 0 || cpu.code->last_faults != INSN_NOT_FOR_USERS;
}

/*
 * Exceptions: is the instruction they came from the last one before? An interrupt comes behind the
 * one that has begun last. That is in the midst of its code if the emulator has executed it alone.
 */
static u64 look_for_fault(struct refs_code *code)
{
	const u64 *frame;
	enum entry entry;
	u64 from;

	if (code->entry == ENTRY_NO ||
	    !qemu_plugin_read_memory_vaddr(read_register(RSP), cpu.bytes, FRAME * sizeof(u64)))
		return 0;
	frame = (const u64 *)cpu.bytes->data;
	entry = kind_of_entry(frame);
	if (code->entry == ENTRY_UNKNOWN)
		code->entry = entry;
	if (entry == ENTRY_NO || !cpu.code)
		return 0;
	from = frame[entry == ENTRY_ERROR];
	if (from == address_of(cpu.code, cpu.code->nr - 1) && is_fault(entry))
		return REFS_WORD_FAULT;
	return from == address_of(cpu.code, *cpu.index + 1) ? REFS_WORD_ENDED : 0;
}

/*
 * Code is executed for the first time in this epoch. QEMU shares translations of one physical
 * page between virtual ones, so that only the register knows where user code is.
 */
static u64 look_at(struct refs_code *code)
{
	u64 rip;

	if (cpu.epoch & READ_TSC) {
		cpu.epoch &= ~READ_TSC;
		/* In the kernel, the registers are not those that user code was to get. */
		if (!cpu.user_tsc || (s64)code->at >= 0)
			put(refs_word(REFS_WORD_TSC,
				      (u32)read_register(RAX) | read_register(RDX) << 32));
	}
	if (cpu.fresh)
		put(refs_word(REFS_WORD_CR3, read_register(CR3)));
	cpu.fresh = false;
	if (code->epoch == cpu.epoch)
		return 0;
	if ((s64)code->at < 0) {
		u64 fault = look_for_fault(code);

		/* Entries are looked at each time. */
		if (code->entry == ENTRY_NO)
			code->epoch = cpu.epoch;
		return fault;
	}
	code->epoch = cpu.epoch;
	rip = read_register(RIP);
	if (rip != code->at)
		put(refs_word(REFS_WORD_AT, rip & REFS_WORD_ADDRESS));
	code->at = rip;
	return 0;
}

static inline void put_code(struct refs_code *code, u64 fault)
{
	u64 word = (u64)code | *cpu.index << REFS_WORD_INDEX | fault;

	cpu.code = code;
	put(word);
}

static void __attribute__((noinline)) on_new_code(struct refs_code *code)
{
	put_code(code, look_at(code));
}

static void on_code(unsigned int nr, void *data)
{
	struct refs_code *code = data;

	(void)nr;
	if (unlikely(code->epoch != cpu.epoch))
		on_new_code(code);
	else
		put_code(code, 0);
}

static inline u64 page_of(u64 address)
{
	return (address & REFS_WORD_ADDRESS) >> REFS_PAGE_SHIFT;
}

/* The physical page, once in an epoch. */
static void __attribute__((noinline)) log_page(u32 info, u64 address)
{
	const struct qemu_plugin_hwaddr *frame = qemu_plugin_get_hwaddr(info, address);

	if (!frame || qemu_plugin_hwaddr_is_io(frame))
		return;
	put(refs_word(REFS_WORD_PAGE, page_of(address)));
	put(qemu_plugin_hwaddr_phys_addr(frame) >> REFS_PAGE_SHIFT);
}

/* Kinds and lengths of accesses that were seen last: QEMU would be asked twice for each. */
static struct shape {
	u32 info;
	u32 shape;
} shapes[SHAPES] = { [0 ... SHAPES - 1] = { .info = ~0U } };

static inline struct shape *shape_of(u32 info)
{
	return &shapes[(info ^ info >> 10) % SHAPES];
}

/* What the page's entry is in this epoch. */
static inline u64 tag_of(u64 address)
{
	return page_of(address) | cpu.pages_epoch[address >> 63] << 36;
}

/* The emulator may execute an instruction alone, if it accesses a device: so the index is added. */
static inline void put_access(const struct shape *shape, u64 address)
{
	put(refs_word(REFS_WORD_ACCESS, *cpu.index << (48 + REFS_SHAPE_INSN)) |
	    (u64)shape->shape << 48 | (address & REFS_WORD_ADDRESS));
}

/* The first one to a page, or of its shape, for some time. */
static void __attribute__((noinline)) on_new_access(u32 info, u64 address)
{
	u64 *page = &cpu.pages[page_of(address) % PAGES];
	struct shape *shape = shape_of(info);

	if (shape->info != info) {
		shape->info = info;
		shape->shape = qemu_plugin_mem_size_shift(info);
		if (qemu_plugin_mem_is_store(info))
			shape->shape |= REFS_SHAPE_STORE;
	}
	if (*page != tag_of(address)) {
		*page = tag_of(address);
		log_page(info, address);
	}
	put_access(shape, address);
}

static void on_access(unsigned int nr, u32 info, u64 address, void *data)
{
	const struct shape *shape = shape_of(info);

	(void)nr;
	(void)data;
	if (unlikely(shape->info != info ||
		     cpu.pages[page_of(address) % PAGES] != tag_of(address)))
		on_new_access(info, address);
	else
		put_access(shape, address);
}

static bool in_user_code(void)
{
	return cpu.code && (s64)cpu.code->at >= 0;
}

static void on_tsc(unsigned int nr, void *data)
{
	(void)nr;
	(void)data;
	cpu.epoch |= READ_TSC;
	cpu.user_tsc = in_user_code();
}

static void on_halt(unsigned int nr, void *data)
{
	(void)nr;
	(void)data;
	/* User code faults here. */
	if (!in_user_code())
		put(refs_word(REFS_WORD_CONTROL, REFS_WORD_HALT));
}

static void on_flush(unsigned int nr, void *data)
{
	(void)nr;
	(void)data;
	cpu.epoch++;
	cpu.pages_epoch[0]++;
	cpu.pages_epoch[1]++;
}

static void on_cr3(unsigned int nr, void *data)
{
	(void)nr;
	if (in_user_code())
		return;
	cpu.epoch++;
	cpu.pages_epoch[0]++;
	/* Without the bit that says that nothing is to be flushed. */
	put(refs_word(REFS_WORD_CR3, read_register((unsigned int)(u64)data) & ~(1ULL << 63)));
}

static void translate_on(struct qemu_plugin_tb *tb);
static void translate_off(struct qemu_plugin_tb *tb);

static void at_exit(void)
{
	ring_close((u32)(cpu.to - cpu.words));
}

static void turned_on(void)
{
	qemu_at_exit(cpu.id, at_exit);
	qemu_at_translation(cpu.id, translate_on);
}

static void turned_off(void)
{
	qemu_at_exit(cpu.id, at_exit);
	qemu_at_translation(cpu.id, translate_off);
}

/* @data: enum refs_control */
static void on_tree(unsigned int nr, void *data)
{
	(void)nr;
	put(refs_word(REFS_WORD_CONTROL, (u64)data));
}

/* @data: enum insn */
static void on_start(unsigned int nr, void *data)
{
	(void)nr;
	put(refs_word(REFS_WORD_CONTROL, REFS_WORD_START));
	if ((u64)data == INSN_TREE)
		put(refs_word(REFS_WORD_CONTROL, REFS_WORD_OUT));
	cpu.fresh = true;
	cpu.code = NULL;
	/* No older translation is executed any more. */
	on_flush(nr, data);
	qemu_reset(cpu.id, turned_on);
}

/* @data: index of the instruction */
static void on_stop(unsigned int nr, void *data)
{
	(void)nr;
	put(refs_word(REFS_WORD_CONTROL, REFS_WORD_STOP | (u64)data << REFS_WORD_INDEX));
	next_chunk();
	qemu_reset(cpu.id, turned_off);
}

static void translate_off(struct qemu_plugin_tb *tb)
{
	size_t i, nr = qemu_plugin_tb_n_insns(tb);
	unsigned int reg;

	for (i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		enum insn kind = insn_find(insn, &reg);

		if (kind == INSN_START || kind == INSN_TREE)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_start, QEMU_NO_REGS,
							       (void *)kind);
	}
}

/* @last: of the block. Of the others, the index of those that may not end is needed. */
static void translate_insn(struct qemu_plugin_insn *insn, u64 i, bool last)
{
	static const qemu_exec_fn fns[NR_INSNS] = {
		[INSN_STOP] = on_stop, [INSN_TSC] = on_tsc, [INSN_HALT] = on_halt,
		[INSN_CR3] = on_cr3, [INSN_FLUSH] = on_flush, [INSN_IN] = on_tree,
		[INSN_OUT] = on_tree,
	};
	unsigned int reg = 0;
	enum insn kind = insn_find(insn, &reg);
	u64 data[NR_INSNS] = {
		[INSN_STOP] = i, [INSN_CR3] = reg, [INSN_IN] = REFS_WORD_IN,
		[INSN_OUT] = REFS_WORD_OUT,
	};

	if (last || fns[kind] || !insn_is_plain(insn))
		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_STORE,
								    cpu.index_score, i);
	if (fns[kind])
		qemu_plugin_register_vcpu_insn_exec_cb(insn, fns[kind], QEMU_READ_REGS,
						       (void *)data[kind]);
	qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_NO_REGS, QEMU_BOTH, NULL);
}

/* Codes are never freed: what was logged refers to them. */
static void translate_on(struct qemu_plugin_tb *tb)
{
	size_t i, nr = qemu_plugin_tb_n_insns(tb);
	struct refs_code *code = calloc(1, sizeof(*code) + nr);

	if (!code || nr > REFS_INSNS_MAX) {
		fprintf(stderr, "ovnik-refs.so: no memory, or too many instructions\n");
		abort();
	}
	code->address = qemu_plugin_tb_vaddr(tb);
	code->now = code->address;
	code->at = code->address;
	code->nr = (u32)nr;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_code, QEMU_READ_REGS, code);
	for (i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		code->lengths[i] = (u8)qemu_plugin_insn_size(insn);
		code->last_faults = insn_faults(insn);
		translate_insn(insn, i, i + 1 == nr);
	}
}

static void at_cpu(void)
{
	struct g_array *array = qemu_plugin_get_registers();
	size_t size = g_array_get_element_size(array);
	const struct qemu_register *reg;
	unsigned int i, k;

	for (i = 0; i < array->len; i++) {
		reg = (const void *)(array->data + i * size);
		for (k = 0; k < NR_REGISTERS; k++)
			if (!strcmp(reg->name, names[k]))
				cpu.registers[k] = reg->handle;
	}
	for (k = 0; k < NR_REGISTERS; k++) {
		if (cpu.registers[k])
			continue;
		fprintf(stderr, "ovnik-refs.so: QEMU does not know register %s\n", names[k]);
		abort();
	}
	cpu.index = qemu_plugin_scoreboard_find(cpu.index_score.score, 0);
}

int qemu_plugin_install(u64 id, const struct qemu_info *info, int argc, char **argv)
{
	struct options options;

	if (!options_parse(&options, argc, argv))
		return -1;
	if (!options.path || strcmp(info->target_name, "x86_64") || info->system.max_vcpus != 1) {
		fprintf(stderr, "ovnik-refs.so: log= is missing, or an x86_64 with one CPU\n");
		return -1;
	}
	if (!options_of_qemu())
		return -1;
	cpu.words = ring_open(options.path, options.flags, options.every);
	if (!cpu.words)
		return -1;
	cpu.to = cpu.words;
	cpu.end = cpu.words + RING_CHUNK;
	cpu.id = id;
	cpu.bytes = g_byte_array_new();
	cpu.index_score.score = qemu_plugin_scoreboard_new(sizeof(u64));
	qemu_at_cpu(id, at_cpu);
	turned_off();
	return 0;
}
