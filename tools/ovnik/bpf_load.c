// SPDX-License-Identifier: GPL-2.0-only
/* Loading the probes that this kernel can take, and attaching them. */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bpf.h"
#include "bpf_objects.h"
#include "util/msg.h"

/**
 * struct lack - An event that cannot be recorded, and why.
 * @events: bit n: event number n
 * @reason: as text
 */
struct lack {
	u64 events;
	char reason[128];
};

/**
 * struct set - What this program has loaded; all of it goes when it ends.
 * @object:  or NULL
 * @kernel:  for which kernels the object is
 * @links:   of what is attached, iterators too; NULL where that failed
 * @programs: of the same index
 * @nr:	     length of both
 * @lacks:   what cannot be recorded
 * @nr_lacks: how many
 * @model:   a ring as the others will be, until the object is loaded
 * @fault_by_kprobe: somebody else is around handle_mm_fault()
 */
static struct set {
	struct bpf_object *object;
	const char *kernel;
	struct bpf_link **links;
	struct bpf_program **programs;
	int nr;
	struct lack lacks[OVNIK_NR_EVENTS];
	int nr_lacks;
	int model;
	bool fault_by_kprobe;
} set = { .model = -1 };

/* libbpf's warnings, with what the verifier says: shown only if a load fails. */
static char *warnings;
static size_t warnings_len;

#define WARNINGS_SHOWN	2000

static int keep_warning(enum libbpf_print_level level, const char *format, va_list args)
{
	char *text = NULL, *more;
	int len;

	if (level == LIBBPF_DEBUG)
		return 0;
	len = vasprintf(&text, format, args);
	if (len < 0)
		return 0;
	more = realloc(warnings, warnings_len + len + 1);
	if (more) {
		memcpy(more + warnings_len, text, len + 1);
		warnings = more;
		warnings_len += len;
	}
	free(text);
	return 0;
}

static void forget_warnings(void)
{
	free(warnings);
	warnings = NULL;
	warnings_len = 0;
}

static void explain_failure(int error)
{
	if (error == -EPERM || error == -EACCES)
		msg_error("the kernel does not let us load BPF programs: it takes CAP_BPF, CAP_PERFMON and CAP_SYS_ADMIN, and no lockdown for confidentiality");
	else
		msg_error("the probes cannot be loaded: %s", strerror(-error));
	if (warnings)
		msg_error("libbpf: %s", warnings +
			  (warnings_len > WARNINGS_SHOWN ? warnings_len - WARNINGS_SHOWN : 0));
}

static void add_lack(u64 events, const char *format, const char *what)
{
	struct lack *lack;

	if (!events || set.nr_lacks == ARRAY_SIZE(set.lacks))
		return;
	lack = &set.lacks[set.nr_lacks++];
	lack->events = events;
	snprintf(lack->reason, sizeof(lack->reason), format, what);
}

/**
 * bpf_probes_lack() - What cannot be recorded on this kernel.
 *
 * Return: bit n: event number n.
 */
u64 bpf_probes_lack(void)
{
	u64 events = 0;
	int i;

	for (i = 0; i < set.nr_lacks; i++)
		events |= set.lacks[i].events;
	return events;
}

static bool is_symbol(const char *name)
{
	char line[256], symbol[128];
	FILE *file = fopen("/proc/kallsyms", "re");
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%*x %*c %127s", symbol) == 1 && !strcmp(symbol, name);
	if (file)
		fclose(file);
	return found;
}

/* Is what a program hooks there? Its name follows the slash of the section's. */
static bool has_target(const struct btf *btf, const struct bpf_program *program)
{
	const char *section = bpf_program__section_name(program);
	const char *target = strchr(section, '/');
	char name[128];

	if (!target)
		return true;
	target++;
	if (!strncmp(section, "kprobe/", 7) || !strncmp(section, "kretprobe/", 10))
		return is_symbol(target);
	if (!strncmp(section, "tp_btf/", 7)) {
		snprintf(name, sizeof(name), "btf_trace_%s", target);
		return btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF) > 0;
	}
	if (!strncmp(section, "iter/", 5)) {
		snprintf(name, sizeof(name), "bpf_iter_%s", target);
		return btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) > 0;
	}
	return btf__find_by_name_kind(btf, target, BTF_KIND_FUNC) > 0;
}

static struct bpf_object *open_object(const struct embedded_object *which)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "ovnik");
	size_t len;
	const void *bytes = which->bytes(&len);

	return bpf_object__open_mem(bytes, len, &opts);
}

/* The newest object for a kernel that is no newer than this one. */
static int choose_object(const struct btf *btf)
{
	const struct embedded_object *which = embedded_objects;

	while (which->type && btf__find_by_name_kind(btf, which->type, BTF_KIND_STRUCT) < 0)
		which++;
	set.object = open_object(which);
	set.kernel = which->kernel;
	return set.object ? 0 : -errno;
}

static const struct program *row_of(const struct bpf_program *program)
{
	return bpf_program_of(bpf_program__name(program));
}

/* Is it for one of these events, and not the other way to the same? */
static bool is_asked_for(const struct program *row, u64 events)
{
	if (!row || !(row->events & events))
		return false;
	return row->way == BOTH_WAYS || (row->way == BY_KPROBE) == set.fault_by_kprobe;
}

static void note_missing(const struct btf *btf, u64 events)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, set.object) {
		const struct program *row = row_of(program);

		if (is_asked_for(row, events) && !has_target(btf, program))
			add_lack(row->events & events, "the kernel has no %s",
				 strchr(bpf_program__section_name(program), '/') + 1);
	}
}

/* Load what is needed for events that are complete. Return: is there a kprobe? */
static bool choose_programs(u64 events)
{
	struct bpf_program *program;
	bool kprobe = false;

	bpf_object__for_each_program(program, set.object) {
		bool wanted = is_asked_for(row_of(program), events);

		bpf_program__set_autoload(program, wanted);
		if (wanted && bpf_program__type(program) == BPF_PROG_TYPE_KPROBE)
			kprobe = true;
		set.nr += wanted;
	}
	return kprobe;
}

/* Has the module that is loaded, if it is, the function that reads the TSC? */
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

/* As many sub-buffers as make them neither too small nor too large. */
static int choose_sizes(u64 buffer_size)
{
	u64 size;
	u32 nr = OVNIK_BPF_SUBBUFS;

	while (nr > 2 && buffer_size / nr < OVNIK_BPF_SUBBUF_MIN)
		nr /= 2;
	while (buffer_size / nr > OVNIK_BPF_SUBBUF_MAX / 4)
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

/* Tell the loader and the programs of what kind the rings are. */
static int fit_maps(bool use_tsc)
{
	struct bpf_map *load = bpf_object__find_map_by_name(set.object, ".rodata.load");
	struct bpf_map *rings = bpf_object__find_map_by_name(set.object, "ovnik_rings");
	struct ovnik_bpf_constants *constants;
	size_t size;

	constants = load ? (void *)bpf_map__initial_value(load, &size) : NULL;
	if (!constants || !rings || size != sizeof(*constants))
		return -EPROTO;
	constants->use_tsc = use_tsc;
	constants->subbuf_size = probes.subbuf_size;
	constants->nr_subbufs = probes.nr_subbufs;
	set.model = bpf_ring_create();
	return set.model < 0 ? set.model : bpf_map__set_inner_map_fd(rings, set.model);
}

static int map_fd(const char *name)
{
	return bpf_object__find_map_fd_by_name(set.object, name);
}

static int find_maps(bool use_tsc)
{
	int ret = bpf_probes_map(map_fd(".data.config"), map_fd("ovnik.bss"));

	if (ret)
		return ret;
	probes.rings = map_fd("ovnik_rings");
	probes.calls = map_fd("ovnik_calls");
	probes.config->clock = use_tsc ? OVNIK_BPF_CLOCK_TSC : OVNIK_BPF_CLOCK_NS;
	probes.config->fault_by_kprobe = set.fault_by_kprobe;
	return 0;
}

static int load_object(const struct bpf_settings *settings, struct btf *btf)
{
	bool kprobe, use_tsc;
	int ret;

	ret = choose_object(btf);
	if (ret)
		return ret;
	note_missing(btf, settings->events);
	kprobe = choose_programs(settings->events & ~bpf_probes_lack());
	/* A kprobe's program may not call the module (6.1), and one clock is enough. */
	use_tsc = !kprobe && has_kfunc(btf);
	ret = fit_maps(use_tsc);
	if (!ret)
		ret = bpf_object__load(set.object);
	if (set.model >= 0)
		close(set.model);
	return ret ? ret : find_maps(use_tsc);
}

/**
 * bpf_probes_load() - Load what the events need.
 * @settings: of the capture
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
	libbpf_set_print(keep_warning);
	btf = btf__load_vmlinux_btf();
	if (!btf) {
		msg_error("/sys/kernel/btf/vmlinux: %s: the BPF back end needs a kernel with BTF",
			  strerror(errno));
		return -errno;
	}
	ret = load_object(settings, btf);
	btf__free(btf);
	if (ret)
		explain_failure(ret);
	forget_warnings();
	return ret;
}

static int attach(struct bpf_program *program)
{
	const struct program *row = row_of(program);
	struct bpf_link *link = bpf_program__attach(program);
	int error = errno;

	set.programs[set.nr] = program;
	set.links[set.nr++] = link;
	if (link)
		return 0;
	if (error == EBUSY && row->way == NOT_BY_KPROBE)
		return -EBUSY;
	add_lack(row->events, "%s", strerror(error));
	return 0;
}

static int attach_all(void)
{
	struct bpf_program *program;
	int ret = 0;

	set.links = calloc(set.nr + 1, sizeof(*set.links));
	set.programs = calloc(set.nr + 1, sizeof(*set.programs));
	if (!set.links || !set.programs)
		return -ENOMEM;
	set.nr = 0;
	bpf_object__for_each_program(program, set.object) {
		if (!ret && bpf_program__autoload(program))
			ret = attach(program);
	}
	return ret;
}

static void tell_lacks(void)
{
	const struct lack *lack;
	int event;

	for (lack = set.lacks; lack < set.lacks + set.nr_lacks; lack++) {
		for (event = 0; event < OVNIK_NR_EVENTS; event++) {
			if (lack->events >> event & 1 && control_event_name(event))
				msg_warn("no %s: %s", control_event_name(event), lack->reason);
		}
	}
}

/**
 * bpf_probes_attach() - Attach what was loaded; nothing is recorded yet.
 * @settings: of the capture
 *
 * Return: 0; a negative errno, which has been reported.
 */
int bpf_probes_attach(const struct bpf_settings *settings)
{
	int ret = attach_all();

	if (ret == -EBUSY && !set.fault_by_kprobe) {
		/* Once more, the other way. */
		bpf_probes_unload();
		set.fault_by_kprobe = true;
		ret = bpf_probes_load(settings);
		if (ret)
			return ret;
		ret = attach_all();
	}
	if (ret) {
		msg_error("the probes cannot be attached: %s", strerror(-ret));
		return ret;
	}
	forget_warnings();
	if (!~bpf_probes_lack()) {
		msg_error("the probes cannot be attached: %s", set.lacks[0].reason);
		return -ENOTSUP;
	}
	tell_lacks();
	return bpf_probes_learn();
}

/**
 * bpf_probes_learn() - Let the probes learn what they reckon with.
 *
 * Return: 0; a negative errno, which has been reported.
 */
int bpf_probes_learn(void)
{
	int ret = bpf_probes_iterate("ovnik_constants");

	if (ret || (probes.config->vmemmap && probes.config->page_offset))
		return ret;
	msg_error("the kernel hides its addresses, by which page frames are known: sysctl kernel.kptr_restrict=1, and CAP_SYSLOG");
	return -EPERM;
}

/**
 * bpf_probes_lacks() - Note what cannot be recorded.
 * @events: bit n: event number n
 * @reason: why
 */
void bpf_probes_lacks(u64 events, const char *reason)
{
	add_lack(events, "%s", reason);
}

static struct bpf_link *link_of(const char *name)
{
	int i;

	for (i = 0; i < set.nr; i++) {
		if (!strcmp(bpf_program__name(set.programs[i]), name))
			return set.links[i];
	}
	return NULL;
}

/**
 * bpf_probes_iterate() - Run an iterator to its end.
 * @name: of the program
 *
 * Return: 0, also if there is none; a negative errno, which has been reported.
 */
int bpf_probes_iterate(const char *name)
{
	struct bpf_link *link;
	int fd, ret;

	if (probes.pinned)
		return bpf_pins_iterate(name);
	link = link_of(name);
	if (!link)
		return 0;
	fd = bpf_iter_create(bpf_link__fd(link));
	ret = fd < 0 ? fd : bpf_iterate(fd);
	if (ret)
		msg_error("%s: %s", name, strerror(-ret));
	return ret;
}

/**
 * bpf_iterate() - Read an iterator until nothing is left.
 * @fd: its file; is closed
 *
 * Programs write nothing: after a million objects the kernel asks for patience. It
 * waits for the lock of each address space, perhaps for ever: SIGQUIT ends that.
 *
 * Return: 0; a negative errno.
 */
int bpf_iterate(int fd)
{
	sigset_t quit, before;
	char text[64];
	ssize_t len;
	int ret;

	sigemptyset(&quit);
	sigaddset(&quit, SIGQUIT);
	pthread_sigmask(SIG_UNBLOCK, &quit, &before);
	do {
		len = read(fd, text, sizeof(text));
	} while (len > 0 || (len < 0 && (errno == EAGAIN || errno == EINTR)));
	ret = len < 0 ? -errno : 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	close(fd);
	return ret;
}

/**
 * bpf_probes_map() - Map the probes' variables.
 * @config: map of that
 * @shared: map of that
 *
 * Return: 0; a negative errno, which has been reported.
 */
int bpf_probes_map(int config, int shared)
{
	void *map;

	map = mmap(NULL, sizeof(*probes.config), PROT_READ | PROT_WRITE, MAP_SHARED, config, 0);
	if (map == MAP_FAILED)
		goto err;
	probes.config = map;
	map = mmap(NULL, sizeof(*probes.shared), PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
	if (map == MAP_FAILED)
		goto err;
	probes.shared = map;
	return 0;
err:
	msg_error("maps of the probes: %s", strerror(errno));
	return -errno;
}

/**
 * bpf_probes_unload() - Detach and forget; what is pinned stays.
 */
void bpf_probes_unload(void)
{
	int i;

	for (i = 0; set.links && i < set.nr; i++)
		bpf_link__destroy(set.links[i]);
	free(set.links);
	free(set.programs);
	bpf_object__close(set.object);
	bpf_rings_forget();
	memset(&set, 0, sizeof(set));
	set.model = -1;
	if (probes.config)
		munmap(probes.config, sizeof(*probes.config));
	if (probes.shared)
		munmap(probes.shared, sizeof(*probes.shared));
	memset(&probes, 0, sizeof(probes));
	probes.rings = -1;
	probes.calls = -1;
}

/**
 * bpf_probes_pin() - Let the probes stay when this program ends.
 *
 * Return: 0; a negative errno, which has been reported, and nothing stays.
 */
int bpf_probes_pin(void)
{
	char path[128];
	int i, ret;

	if (probes.pinned)
		return 0;
	if (mkdir(BPF_PINS, 0700)) {
		ret = -errno;
		/* Not ours: nothing of it is removed. */
		msg_error(BPF_PINS ": %s%s", strerror(-ret), ret == -ENOENT || ret == -EPERM ?
			  "; is a bpf file system mounted at /sys/fs/bpf?" : "");
		return ret;
	}
	/* Who finds maps finds all of them, and links only behind them. */
	ret = bpf_object__pin_maps(set.object, BPF_MAPS);
	for (i = 0; !ret && i < set.nr; i++) {
		snprintf(path, sizeof(path), BPF_PINS "/%s", bpf_program__name(set.programs[i]));
		if (set.links[i])
			ret = bpf_link__pin(set.links[i], path);
	}
	if (!ret)
		return 0;
	msg_error(BPF_PINS ": %s", strerror(-ret));
	bpf_pins_remove();
	return ret;
}

static void describe_lacks(struct json_object *meta)
{
	struct json_object *list = json_object_new_array();
	int i;

	json_object_object_add(meta, "lack", list);
	for (i = 0; i < set.nr_lacks; i++) {
		struct json_object *one = json_object_new_object();

		json_object_object_add(one, "events", bpf_names_of(set.lacks[i].events));
		json_object_object_add(one, "reason",
				       json_object_new_string(set.lacks[i].reason));
		json_object_array_add(list, one);
	}
}

/**
 * bpf_probes_each() - Do something with each program that is loaded.
 * @fn: is given its name and a file descriptor
 */
void bpf_probes_each(void (*fn)(const char *name, int fd))
{
	int i;

	for (i = 0; i < set.nr; i++)
		fn(bpf_program__name(set.programs[i]), bpf_program__fd(set.programs[i]));
}

/**
 * bpf_probes_describe() - Say in meta.json what was loaded, and what was not.
 * @meta: the object
 */
void bpf_probes_describe(struct json_object *meta)
{
	if (set.kernel)
		json_object_object_add(meta, "bpf_object", json_object_new_string(set.kernel));
	describe_lacks(meta);
}
