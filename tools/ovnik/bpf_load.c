// SPDX-License-Identifier: GPL-2.0-only
/* Load the probes that this kernel supports. */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf_load.h"
#include "bpf_objects.h"
#include "system.h"
#include "unsupported.h"
#include "util/msg.h"

struct bpf_set bpf_set = { .model = -1 };

#define KERNEL_BTF	"/sys/kernel/btf/vmlinux"

/* Then programs may not read the kernel's memory. */
static bool is_locked_down(void)
{
	char line[128];

	return !system_line("/sys/kernel/security/lockdown", line, sizeof(line)) &&
	       strstr(line, "[confidentiality]");
}

/* Other errors than that of a helper which is not there then have other causes. */
static bool is_by_lockdown(const struct bpf_refused *refused)
{
	return is_locked_down() && strstr(refused->why, "probe_read");
}

/* Where nobody may load programs, or not this user, there is nothing that libbpf could add. */
static bool is_forbidden(int error)
{
	struct bpf_refused refused = { .why = "" };

	bpf_log_refused(&refused);
	if (is_by_lockdown(&refused))
		return true;
	return (error == -EPERM || error == -EACCES) && !*refused.why;
}

static void explain_failure(int error)
{
	if (is_forbidden(error))
		msg_error("the kernel refuses to load BPF programs: this needs CAP_BPF, CAP_PERFMON and CAP_SYS_ADMIN, and lockdown=confidentiality must be off");
	else
		msg_error("the probes cannot be loaded: %s", strerror(-error));
	if (!is_forbidden(error))
		bpf_log_show();
}

static struct bpf_object *open_object(const struct embedded_object *which)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "ovnik");
	size_t len;
	const void *bytes = which->bytes(&len);

	return bpf_object__open_mem(bytes, len, &opts);
}

/* Open the newest object whose kernel is not newer than this one. */
static int choose_object(const struct btf *btf)
{
	const struct embedded_object *which = embedded_objects;

	while (which->feature && btf__find_by_name_kind(btf, which->feature, which->kind) < 0)
		which++;
	bpf_set.object = open_object(which);
	bpf_set.kernel = which->kernel;
	return bpf_set.object ? 0 : -errno;
}

/* Does a program serve one of these events, in the way that is used here? */
static bool is_asked_for(const struct program *row, u64 events)
{
	if (!row || !(row->events & events))
		return false;
	switch (row->way) {
	case NOT_BY_KPROBE:
	case BY_KPROBE:
		return (row->way == BY_KPROBE) == bpf_set.by_kprobe;
	case TRUE_WAKERS:
	case PLAIN_WAKERS:
		return (row->way == PLAIN_WAKERS) == bpf_set.plain_wakers;
	case IA32_CALLS:
		return bpf_set.ia32_calls;
	default:
		return true;
	}
}

static bool has_ia32_calls(const struct btf *btf)
{
	return btf__find_by_name_kind(btf, "__ia32_sys_madvise", BTF_KIND_FUNC) > 0;
}

/* Mark the events that this kernel does not allow. */
static void note_missing(const struct btf *btf, u64 events)
{
	const struct btf *object = bpf_object__btf(bpf_set.object);
	struct bpf_program *program;

	bpf_object__for_each_program(program, bpf_set.object) {
		const struct program *row = bpf_row_of(program);

		if (is_asked_for(row, events))
			bpf_check_program(btf, object, program, row->events & events);
	}
}

/* Select the programs for events whose hooks all exist. Return: is one a kprobe? */
static bool choose_programs(u64 events)
{
	struct bpf_program *program;
	bool kprobe = false;

	bpf_object__for_each_program(program, bpf_set.object) {
		bool needed = is_asked_for(bpf_row_of(program), events);

		bpf_program__set_autoload(program, needed);
		if (needed && bpf_program__type(program) == BPF_PROG_TYPE_KPROBE)
			kprobe = true;
		bpf_set.nr += needed;
	}
	return kprobe;
}

/* Is the module loaded, and does it have the function that reads the TSC? */
static bool has_kfunc(struct btf *vmlinux)
{
	struct btf *btf;
	bool found;

	if (access("/sys/kernel/btf/ovnik", R_OK))
		return false;
	btf = btf__load_module_btf("ovnik", vmlinux);
	found = btf && btf__find_by_name_kind(btf, "ovnik_rdtsc", BTF_KIND_FUNC) > 0;
	btf__free(btf);
	return found;
}

/*
 * As many sub-buffers as the module would have, but a power of two, and none too small: all
 * of the buffer is used.
 */
static int choose_sizes(u64 buffer_size)
{
	u32 most = buffer_size / ovnik_subbuf_size(buffer_size);
	u64 size;
	u32 nr = 2;

	while (2 * nr <= most && buffer_size / (2 * nr) >= OVNIK_BPF_SUBBUF_MIN)
		nr *= 2;
	size = buffer_size / nr & ~4095ULL;
	if (size < OVNIK_BPF_SUBBUF_MIN) {
		msg_error("a buffer of %llu KiB is too small: the BPF back end needs %u KiB or more",
			  buffer_size / 1024, 2 * OVNIK_BPF_SUBBUF_MIN / 1024);
		return -EINVAL;
	}
	probes.subbuf_size = size;
	probes.nr_subbufs = nr;
	return 0;
}

/* Set the rings' sizes for the loader and the programs. */
static int fit_maps(bool use_tsc)
{
	struct bpf_map *load = bpf_object__find_map_by_name(bpf_set.object, ".rodata.load");
	struct bpf_map *rings = bpf_object__find_map_by_name(bpf_set.object, "ovnik_rings");
	struct ovnik_bpf_constants *constants;
	size_t size;

	constants = load ? (void *)bpf_map__initial_value(load, &size) : NULL;
	if (!constants || !rings || size != sizeof(*constants))
		return -EPROTO;
	constants->use_tsc = use_tsc;
	constants->subbuf_size = probes.subbuf_size;
	constants->nr_subbufs = probes.nr_subbufs;
	bpf_set.model = bpf_ring_create();
	return bpf_set.model < 0 ? bpf_set.model : bpf_map__set_inner_map_fd(rings, bpf_set.model);
}

static int map_fd(const char *name)
{
	return bpf_object__find_map_fd_by_name(bpf_set.object, name);
}

static int find_maps(bool use_tsc)
{
	int ret = bpf_probes_map(map_fd(".data.config"), map_fd("ovnik.bss"),
				 map_fd(".data.dump"));

	if (ret)
		return ret;
	probes.rings = map_fd("ovnik_rings");
	probes.calls = map_fd("ovnik_calls");
	probes.config->clock = use_tsc ? OVNIK_BPF_CLOCK_TSC : OVNIK_BPF_CLOCK_NS;
	probes.config->by_kprobe = bpf_set.by_kprobe;
	probes.config->plain_wakers = bpf_set.plain_wakers;
	return 0;
}

static int load_object(const struct bpf_settings *settings, struct btf *btf, bool again)
{
	bool kprobe, use_tsc;
	int ret;

	ret = choose_object(btf);
	if (ret)
		return ret;
	if (!again) {
		bpf_set.plain_wakers = !bpf_check_wakers(btf);
		bpf_set.ia32_calls = has_ia32_calls(btf);
		note_missing(btf, settings->events);
	}
	kprobe = choose_programs(settings->events & ~unsupported());
	/* On 6.1 a kprobe program cannot call the module; all programs use one clock. */
	use_tsc = !kprobe && has_kfunc(btf);
	ret = fit_maps(use_tsc);
	if (!ret)
		ret = bpf_object__load(bpf_set.object);
	if (bpf_set.model >= 0)
		close(bpf_set.model);
	return ret ? ret : find_maps(use_tsc);
}

static bool leave_out_refused(void)
{
	struct bpf_refused refused;
	const struct program *row;
	char reason[256];

	row = bpf_log_refused(&refused) ? bpf_program_of(refused.name) : NULL;
	if (!row || !~row->events)
		return false;
	snprintf(reason, sizeof(reason), "the kernel refuses the probe %s (%s); the module may work",
		 refused.name, refused.why);
	unsupported_add(row->events, "%s", reason);
	return true;
}

/* More than a few of them have a reason in common. */
#define REFUSED_MAX	16

/* A program that the kernel refuses takes all others with it: load again without it. */
static int load_accepted(const struct bpf_settings *settings, struct btf *btf)
{
	int refused, ret = load_object(settings, btf, false);

	for (refused = 0; ret && ret != -EPERM && refused < REFUSED_MAX; refused++) {
		if (!leave_out_refused())
			break;
		bpf_object__close(bpf_set.object);
		bpf_set.object = NULL;
		bpf_set.nr = 0;
		bpf_log_forget();
		ret = load_object(settings, btf, true);
	}
	return ret;
}

static struct btf *load_kernel_btf(void)
{
	struct btf *btf = btf__load_vmlinux_btf();

	/* The programs walk mappings as they are kept since then. */
	if (btf && btf__find_by_name_kind(btf, "maple_node", BTF_KIND_STRUCT) > 0)
		return btf;
	if (btf) {
		msg_error("this kernel is too old: ovnik needs Linux 6.1, or one with its memory management, as RHEL 9.6");
		btf__free(btf);
		return NULL;
	}
	/* libbpf has looked elsewhere, too; what it says is not about this file. */
	if (access(KERNEL_BTF, F_OK))
		msg_error("there is no " KERNEL_BTF ": the BPF back end needs a kernel with CONFIG_DEBUG_INFO_BTF; the module does not");
	else
		msg_error(KERNEL_BTF ": %s", strerror(errno));
	return NULL;
}

/**
 * bpf_probes_load() - Load the programs that the events need.
 * @settings: settings of the capture
 *
 * Return: 0; a negative errno, which has been reported.
 */
int bpf_probes_load(const struct bpf_settings *settings)
{
	struct btf *btf;
	int ret;

	ret = choose_sizes(settings->buffer_size);
	if (ret)
		return ret;
	bpf_log_begin();
	btf = load_kernel_btf();
	if (!btf)
		return -ENOENT;
	ret = load_accepted(settings, btf);
	btf__free(btf);
	if (ret)
		explain_failure(ret);
	bpf_log_end();
	return ret;
}

/**
 * bpf_probes_unload() - Detach and unload; pinned probes stay.
 */
void bpf_probes_unload(void)
{
	int i;

	for (i = 0; bpf_set.links && i < bpf_set.nr; i++)
		bpf_link__destroy(bpf_set.links[i]);
	free(bpf_set.links);
	free(bpf_set.programs);
	bpf_object__close(bpf_set.object);
	bpf_rings_forget();
	memset(&bpf_set, 0, sizeof(bpf_set));
	bpf_set.model = -1;
	unsupported_clear();
	bpf_probes_unmap();
}

/**
 * bpf_probes_describe() - Describe in meta.json what was loaded and what is unsupported.
 * @meta: the object of meta.json
 */
void bpf_probes_describe(struct json_object *meta)
{
	if (bpf_set.kernel)
		json_object_object_add(meta, "bpf_object", json_object_new_string(bpf_set.kernel));
	unsupported_describe(meta);
}
