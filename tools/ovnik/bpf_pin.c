// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pinned probes, launched by bpftool or "ovnik start". Their links and maps are below
 * /sys/fs/bpf/ovnik.
 */
#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bpf.h"
#include "unsupported.h"
#include "util/msg.h"

/**
 * bpf_pins_there() - Are there pinned probes, or leftovers of some?
 *
 * Return: true if there are.
 */
bool bpf_pins_there(void)
{
	struct stat st;

	return !lstat(BPF_PINS, &st) && S_ISDIR(st.st_mode);
}

/* Open a map if it is of the kind defined in bpf/ovnik_bpf.h; leave others alone. */
static int open_map(const char *name, u32 type, u32 value_size, u32 max_entries)
{
	struct bpf_map_info info = { 0 };
	u32 len = sizeof(info);
	char path[128];
	int fd, ret;

	snprintf(path, sizeof(path), BPF_MAPS "/%s", name);
	fd = bpf_obj_get(path);
	if (fd < 0) {
		msg_error("%s: %s", path, strerror(-fd));
		return fd;
	}
	ret = bpf_obj_get_info_by_fd(fd, &info, &len);
	if (!ret && info.type == type && info.value_size == value_size &&
	    info.max_entries == max_entries)
		return fd;
	msg_error("%s: not a map of this version of ovnik", path);
	close(fd);
	return -EPROTO;
}

static bool are_sane(const struct ovnik_bpf_constants *constants)
{
	u32 size = constants->subbuf_size, nr = constants->nr_subbufs;

	return constants->version == OVNIK_BPF_VERSION &&
	       constants->nr_events == OVNIK_NR_EVENTS &&
	       size >= OVNIK_BPF_SUBBUF_MIN && size <= OVNIK_BPF_SUBBUF_MAX && size % 4096 == 0 &&
	       nr >= 2 && nr <= 1 << 16 && !(nr & (nr - 1));
}

static int read_constants(void)
{
	struct ovnik_bpf_constants constants;
	int fd = open_map("_rodata_load", BPF_MAP_TYPE_ARRAY, sizeof(constants), 1);
	u32 zero = 0;
	int ret;

	if (fd < 0)
		return fd;
	ret = bpf_map_lookup_elem(fd, &zero, &constants);
	close(fd);
	if (!ret && are_sane(&constants)) {
		probes.subbuf_size = constants.subbuf_size;
		probes.nr_subbufs = constants.nr_subbufs;
		return 0;
	}
	msg_error(BPF_MAPS "/_rodata_load: not of this version of ovnik");
	return -EPROTO;
}

static int map_variables(void)
{
	int config, shared = -1, dump = -1, ret = 0;

	config = open_map("_data_config", BPF_MAP_TYPE_ARRAY, sizeof(*probes.config), 1);
	if (config >= 0)
		shared = open_map("ovnik_bss", BPF_MAP_TYPE_ARRAY, sizeof(*probes.shared), 1);
	if (shared >= 0)
		dump = open_map("_data_dump", BPF_MAP_TYPE_ARRAY, sizeof(*probes.dump), 1);
	if (dump < 0)
		ret = -EPROTO;
	else
		ret = bpf_probes_map(config, shared, dump);
	if (config >= 0)
		close(config);
	if (shared >= 0)
		close(shared);
	if (dump >= 0)
		close(dump);
	return ret;
}

static u64 pinned_events;

static void add_events(const char *name, int fd)
{
	const struct program *program = bpf_program_of(name);

	(void)fd;
	if (program->events != ~0ULL && program->way != BY_KPROBE)
		pinned_events |= program->events;
}

/* Perhaps only some programs were pinned. The anchor has no program. */
static void note_absent(void)
{
	pinned_events = 1ULL << OVNIK_EV_anchor;
	bpf_pins_each(add_events);
	unsupported_add(~pinned_events & ((1ULL << OVNIK_NR_EVENTS) - 2), "%s",
			"it is not among the pinned probes");
}

/**
 * bpf_pins_open() - Use the pinned probes.
 *
 * Return: 0; a negative errno, which has been reported.
 */
int bpf_pins_open(void)
{
	int ret = read_constants();

	if (!ret)
		ret = map_variables();
	if (ret)
		return ret;
	probes.pinned = true;
	probes.rings = open_map("ovnik_rings", BPF_MAP_TYPE_ARRAY_OF_MAPS, sizeof(u32),
				OVNIK_BPF_CPUS_MAX);
	if (probes.rings < 0)
		return probes.rings;
	probes.calls = open_map("ovnik_calls", BPF_MAP_TYPE_ARRAY, OVNIK_BPF_CALLS_BYTES,
				OVNIK_BPF_CALLS);
	if (probes.calls < 0)
		return probes.calls;
	note_absent();
	return 0;
}

/* Open the program of a pinned link. */
static int program_of(const char *name)
{
	struct bpf_link_info info = { 0 };
	u32 len = sizeof(info);
	char path[320];
	int link, ret;

	snprintf(path, sizeof(path), BPF_PINS "/%s", name);
	link = bpf_obj_get(path);
	if (link < 0)
		return link;
	ret = bpf_obj_get_info_by_fd(link, &info, &len);
	close(link);
	return ret ? ret : bpf_prog_get_fd_by_id(info.prog_id);
}

/**
 * bpf_pins_each() - Call a function for each pinned program.
 * @fn: gets its name and a file descriptor
 */
void bpf_pins_each(void (*fn)(const char *name, int fd))
{
	struct dirent *entry;
	DIR *dir = opendir(BPF_PINS);

	while (dir && (entry = readdir(dir))) {
		int fd = bpf_program_of(entry->d_name) ? program_of(entry->d_name) : -1;

		if (fd < 0)
			continue;
		fn(entry->d_name, fd);
		close(fd);
	}
	if (dir)
		closedir(dir);
}

/* Remove pins only; do not enter directories that are not ours. */
static int remove_all(const char *path)
{
	struct dirent *entry;
	struct stat st;
	int ret = 0, fd;
	DIR *dir;

	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstat(fd, &st) || st.st_uid != geteuid()) {
		close(fd);
		return -EPERM;
	}
	dir = fdopendir(fd);
	if (!dir) {
		ret = -errno;
		close(fd);
		return ret;
	}
	while ((entry = readdir(dir))) {
		if (entry->d_type != DT_DIR && unlinkat(fd, entry->d_name, 0))
			ret = -errno;
	}
	closedir(dir);
	return rmdir(path) && !ret ? -errno : ret;
}

/* Links first: recording stops, and a second attempt can remove the rest. */
static void remove_links(void)
{
	struct dirent *entry;
	DIR *dir = opendir(BPF_PINS);
	char path[320];

	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), BPF_PINS "/%s", entry->d_name);
		if (bpf_program_of(entry->d_name))
			unlink(path);
	}
	if (dir)
		closedir(dir);
}

/**
 * bpf_pins_remove() - Remove the pinned probes.
 *
 * Return: 0; a negative errno, which has been reported.
 */
int bpf_pins_remove(void)
{
	struct stat st;
	int ret = 0;

	if (lstat(BPF_PINS, &st) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid())
		ret = -EPERM;
	if (!ret) {
		remove_links();
		ret = remove_all(BPF_MAPS);
	}
	if (!ret)
		ret = remove_all(BPF_PINS);
	if (ret)
		msg_error(BPF_PINS ": %s", strerror(-ret));
	return ret;
}
