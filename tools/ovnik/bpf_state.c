// SPDX-License-Identifier: GPL-2.0-only
/* The state that all parts of the BPF back end share: settings and maps. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "bpf.h"
#include "util/msg.h"

struct probes probes = { .rings = -1, .calls = -1 };

struct bpf_settings bpf_settings = {
	.events = ~0ULL, .buffer_size = 4 << 20, .children = true,
};

/**
 * bpf_probes_map() - Map the probes' variables.
 * @config: file descriptor of the map of struct ovnik_bpf_config
 * @shared: file descriptor of the map of struct ovnik_bpf_shared
 * @dump:   file descriptor of the map of struct ovnik_bpf_dump
 *
 * Return: 0; a negative errno, which has been reported.
 */
int bpf_probes_map(int config, int shared, int dump)
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
	map = mmap(NULL, sizeof(*probes.dump), PROT_READ | PROT_WRITE, MAP_SHARED, dump, 0);
	if (map == MAP_FAILED)
		goto err;
	probes.dump = map;
	return 0;
err:
	msg_error("maps of the probes: %s", strerror(errno));
	return -errno;
}

/**
 * bpf_probes_unmap() - Unmap the variables; pinned maps stay.
 */
void bpf_probes_unmap(void)
{
	if (probes.config)
		munmap(probes.config, sizeof(*probes.config));
	if (probes.shared)
		munmap(probes.shared, sizeof(*probes.shared));
	if (probes.dump)
		munmap(probes.dump, sizeof(*probes.dump));
	memset(&probes, 0, sizeof(probes));
	probes.rings = -1;
	probes.calls = -1;
}
