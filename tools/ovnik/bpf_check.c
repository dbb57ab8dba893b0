// SPDX-License-Identifier: GPL-2.0-only
/*
 * Can a program of bpf/ do on this kernel what it was written for? Checked before anything is
 * loaded: a program that does not load makes all others be loaded again, and one that gets
 * other arguments than it expects would record what did not happen.
 */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/btf.h>
#include <stdio.h>
#include <string.h>

#include "bpf.h"
#include "unsupported.h"
#include "util/msg.h"

#define BIT(name)	(1ULL << OVNIK_EV_##name)

#define TAG		"hook:"
#define TYPE_TEXT	64

static const char *target_of(const struct bpf_program *program)
{
	const char *slash = strchr(bpf_program__section_name(program), '/');

	return slash ? slash + 1 : "";
}

static bool is_of(const struct bpf_program *program, const char *section)
{
	return !strncmp(bpf_program__section_name(program), section, strlen(section));
}

/* The type behind const, typedef and the like; NULL: void. */
static const struct btf_type *plain(const struct btf *btf, u32 id)
{
	const struct btf_type *type = id ? btf__type_by_id(btf, id) : NULL;

	while (type && (btf_is_mod(type) || btf_is_typedef(type)))
		type = type->type ? btf__type_by_id(btf, type->type) : NULL;
	return type;
}

/* As in HOOK_TYPES() of bpf/probe.bpf.h. */
static void describe(const struct btf *btf, u32 id, char text[TYPE_TEXT])
{
	const struct btf_type *type = plain(btf, id);

	const char *name = "";

	if (!type || !btf_is_ptr(type)) {
		snprintf(text, TYPE_TEXT, "%u", type ? type->size : 0);
		return;
	}
	type = plain(btf, type->type);
	if (type && (btf_is_composite(type) || btf_is_fwd(type)))
		name = btf__name_by_offset(btf, type->name_off);
	snprintf(text, TYPE_TEXT, "%s*", name);
}

/* The prototype of what a program hooks, or NULL. @skip: arguments that are not its own */
static const struct btf_type *proto_of(const struct btf *kernel,
				       const struct bpf_program *program, unsigned int *skip)
{
	const struct btf_type *type;
	char name[128];
	int id;

	*skip = 0;
	if (!is_of(program, "tp_btf/")) {
		id = btf__find_by_name_kind(kernel, target_of(program), BTF_KIND_FUNC);
		return id > 0 ? plain(kernel, btf__type_by_id(kernel, id)->type) : NULL;
	}
	snprintf(name, sizeof(name), "btf_trace_%s", target_of(program));
	id = btf__find_by_name_kind(kernel, name, BTF_KIND_TYPEDEF);
	type = id > 0 ? plain(kernel, id) : NULL;
	/* The first one is for who registers the probe. */
	*skip = 1;
	return type && btf_is_ptr(type) ? plain(kernel, type->type) : NULL;
}

/* HOOK_TYPES() of a program; NULL: it has none. */
static const char *types_of(const struct btf *object, const struct bpf_program *program)
{
	int id, nr = btf__type_cnt(object);
	int func = btf__find_by_name_kind(object, bpf_program__name(program), BTF_KIND_FUNC);

	for (id = 1; id < nr; id++) {
		const struct btf_type *type = btf__type_by_id(object, id);
		const char *tag = btf__name_by_offset(object, type->name_off);

		if (btf_is_decl_tag(type) && (int)type->type == func &&
		    !strncmp(tag, TAG, strlen(TAG)))
			return tag + strlen(TAG);
	}
	return NULL;
}

/* @expected: "one|other": either of them */
static bool agree(const char *expected, const char *found)
{
	size_t len;

	if (!strcmp(expected, "*"))
		return strchr(found, '*');
	for (;; expected += len + 1) {
		len = strcspn(expected, "|");
		if (len == strlen(found) && !strncmp(expected, found, len))
			return true;
		if (!expected[len])
			return false;
	}
}

/**
 * struct hook - What the kernel has.
 * @kernel: its BTF
 * @proto:  the prototype
 * @skip:   arguments at the beginning that do not count
 * @why:    the difference; empty: there is none
 */
struct hook {
	const struct btf *kernel;
	const struct btf_type *proto;
	unsigned int skip;
	char why[96];
};

static void check_type(struct hook *hook, const char *what, unsigned int nr, u32 id,
		       const char *expected)
{
	char found[TYPE_TEXT];

	describe(hook->kernel, id, found);
	if (!agree(expected, found) && !hook->why[0])
		snprintf(hook->why, sizeof(hook->why), "%s %u is %s, not %s", what, nr, found,
			 expected);
}

static void check_arguments(struct hook *hook, char *types, bool *all)
{
	unsigned int nr = btf_vlen(hook->proto), i = hook->skip;
	char *word;

	*all = true;
	while ((word = strsep(&types, ","))) {
		word += strspn(word, " ");
		if (!strcmp(word, "...")) {
			*all = false;
		} else if (*word && i >= nr) {
			snprintf(hook->why, sizeof(hook->why), "there is no argument %u",
				 i - hook->skip + 1);
			return;
		} else if (*word) {
			check_type(hook, "argument", i - hook->skip + 1,
				   btf_params(hook->proto)[i].type, word);
			i++;
		}
	}
	*all = *all && i != nr;
}

static void check_types(struct hook *hook, const char *expected)
{
	char text[256], *result;
	bool more;

	snprintf(text, sizeof(text), "%s", expected);
	result = strstr(text, "-> ");
	if (result)
		result[result > text ? -1 : 0] = '\0';
	check_arguments(hook, text, &more);
	if (!result)
		return;
	check_type(hook, "result", 0, hook->proto->type, result + 3);
	/* What a function returns comes after its last argument. */
	if (more && !hook->why[0])
		snprintf(hook->why, sizeof(hook->why), "it has more arguments");
}

/**
 * bpf_check_program() - Mark events whose program cannot work on this kernel.
 * @kernel:  the kernel's BTF
 * @object:  the program's
 * @program: the program
 * @events:  bit n: event number n needs it
 */
void bpf_check_program(const struct btf *kernel, const struct btf *object,
		       const struct bpf_program *program, u64 events)
{
	const char *types = types_of(object, program), *target = target_of(program);
	struct hook hook = { .kernel = kernel };
	char reason[320];

	if (is_of(program, "iter/")) {
		snprintf(reason, sizeof(reason), "bpf_iter_%s", target);
		if (btf__find_by_name_kind(kernel, reason, BTF_KIND_FUNC) < 0)
			unsupported_add(events, "this kernel has no BPF iterator \"%s\"",
					target);
		return;
	}
	hook.proto = proto_of(kernel, program, &hook.skip);
	if (!hook.proto) {
		unsupported_add(events, is_of(program, "tp_btf/") ?
				    "this kernel has no tracepoint %s; the module may work" :
				    "this kernel has no function %s() to hook; the module may work",
				    target);
		return;
	}
	if (types)
		check_types(&hook, types);
	if (!hook.why[0])
		return;
	snprintf(reason, sizeof(reason),
		 "this kernel's %s() is not what the probe was written for (%s); the module may work",
		 target, hook.why);
	unsupported_add(events, "%s", reason);
}

#define NO_SYMBOL	"/proc/kallsyms has no %s: this needs a kernel with CONFIG_KALLSYMS_ALL, sysctl kernel.kptr_restrict=1 and CAP_SYSLOG, or the module"

#define FRAMES		(BIT(page_add) | BIT(page_remove) | BIT(buffer_add) | BIT(buffer_remove) | \
			 BIT(cow_break))
#define PATHS		(BIT(file_open) | BIT(file_rename) | BIT(task_exec) | BIT(mmap_file) | \
			 BIT(mremap) | BIT(dump_vma) | BIT(dump_file))

/**
 * bpf_lack_frames() - Mark events that need to know where memory is mapped: it is not known.
 * @events: bit n: event number n is to be recorded
 */
void bpf_lack_frames(u64 events)
{
	if (probes.config->symbols & OVNIK_BPF_NO_PAGES)
		unsupported_add(events & FRAMES, "this kernel has no %s; the module may work",
				"CONFIG_SPARSEMEM_VMEMMAP");
	else
		unsupported_add(events & FRAMES, "there is no /proc/kcore, and " NO_SYMBOL,
				"vmemmap_base");
}

/* "ffffffff81000000 T _stext"; behind it, of a module, a tab. */
static bool counts_interrupts(char *line, const struct btf *kernel)
{
	char *type = strchr(line, ' ');
	char *name = type ? strchr(type + 1, ' ') : NULL;

	/* An address of 0 is one that the kernel hides. */
	if (!name || line[strspn(line, "0")] == ' ')
		return false;
	name++;
	name[strcspn(name, "\t\n")] = '\0';
	return (!strcmp(name, "__preempt_count") || !strcmp(name, "pcpu_hot")) &&
	       btf__find_by_name_kind(kernel, name, BTF_KIND_VAR) > 0;
}

/*
 * BTF may have a variable whose address the kernel does not know, and lack one whose address it
 * knows (6.1 as Debian 11 builds it). There are more than 100,000 symbols, but those of CPUs are
 * the first up to 6.14.
 */
static bool knows_interrupts(const struct btf *kernel)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[256];
	bool found = false;

	if (!file)
		return false;
	/* In large pieces, as the kernel looks up the place of each. */
	setvbuf(file, NULL, _IOFBF, 1 << 16);
	while (!found && fgets(line, sizeof(line), file))
		found = counts_interrupts(line, kernel);
	fclose(file);
	return found;
}

/**
 * bpf_check_wakers() - Does the kernel have what tells who wakes a task?
 * @kernel: its BTF
 *
 * That is the function that queues a task to another CPU, and a CPU's count of interrupts.
 *
 * Return: true if it has.
 */
bool bpf_check_wakers(const struct btf *kernel)
{
	return knows_interrupts(kernel) &&
	       btf__find_by_name_kind(kernel, "__smp_call_single_queue", BTF_KIND_FUNC) > 0;
}

/**
 * bpf_check_symbols() - Mark events that need variables whose address is not known.
 * @events:  bit n: event number n is to be recorded
 * @symbols: OVNIK_BPF_HAS_*: what the loaded programs know
 */
void bpf_check_symbols(u64 events, u32 symbols)
{
	/* Without it, a first touch would look like a copy. */
	if (!(symbols & OVNIK_BPF_HAS_ZERO))
		unsupported_add(events & BIT(cow_break), NO_SYMBOL, "zero_pfn");
	if (events & PATHS && !(symbols & OVNIK_BPF_HAS_LOCKS))
		msg_warn("/proc/kallsyms has no rename_lock or no mount_lock: a path may be wrong if a directory in it is renamed or a file system mounted while it is read");
}
