/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_BPF_H
#define OVNIK_TOOL_BPF_H

#include <time.h>

#include "control.h"
#include "reader.h"

#include "ovnik_bpf.h"

/* Where probes are pinned that stay loaded; see Documentation/bpf.rst. */
#define BPF_PINS	"/sys/fs/bpf/ovnik"
#define BPF_MAPS	BPF_PINS "/maps"

/**
 * struct probes - The maps of the loaded probes.
 * @config:	  mapped variables, or NULL if no probes are loaded
 * @shared:	  mapped variables
 * @rings:	  file descriptor of the array of rings
 * @calls:	  file descriptor of the map of unfinished system calls
 * @dump:	  mapped variables of the statedump
 * @nr_subbufs:	  sub-buffers per ring
 * @subbuf_size:  bytes
 * @pinned:	  the probes are pinned and stay when this program ends
 */
struct probes {
	struct ovnik_bpf_config *config;
	struct ovnik_bpf_shared *shared;
	struct ovnik_bpf_dump *dump;
	int rings;
	int calls;
	u32 nr_subbufs;
	u32 subbuf_size;
	bool pinned;
};

extern struct probes probes;

static inline bool bpf_loaded(void)
{
	return probes.config;
}

static inline bool bpf_running(void)
{
	return bpf_loaded() && __atomic_load_n(&probes.config->events, __ATOMIC_ACQUIRE);
}

/**
 * struct bpf_settings - Settings of the next capture.
 * @events:	 bit n: record event number n
 * @buffer_size: bytes per CPU
 * @overwrite:	 keep the newest events
 * @children:	 also record children of the filter's processes
 * @private:	 hide the memory of other users than @owner
 * @owner:	 user ID
 * @pids:	 the filter
 * @nr_pids:	 length of @pids
 */
struct bpf_settings {
	u64 events;
	u64 buffer_size;
	bool overwrite;
	bool children;
	bool private;
	u32 owner;
	u32 pids[OVNIK_BPF_PIDS_MAX];
	u32 nr_pids;
};

extern struct bpf_settings bpf_settings;

/**
 * enum way - How a program hooks the kernel, where there are two ways.
 * @BOTH_WAYS:	   needed in either way
 * @NOT_BY_KPROBE: only in the way that is tried first
 * @BY_KPROBE:	   only if another program occupies that hook
 * @TRUE_WAKERS:   only if the kernel has what tells who wakes a task
 * @PLAIN_WAKERS:  only if it has not
 * @IA32_CALLS:    only if the kernel has the system calls of 32-bit programs
 */
enum way {
	BOTH_WAYS,
	NOT_BY_KPROBE,
	BY_KPROBE,
	TRUE_WAKERS,
	PLAIN_WAKERS,
	IA32_CALLS,
};

/**
 * struct program - A program of bpf/.
 * @name:   name of its function
 * @events: bit n: event number n needs it
 * @way:    in which way it is used
 */
struct program {
	const char *name;
	u64 events;
	enum way way;
};

struct json_object;

/* Each file below uses only those above it. */

/* bpf_state.c */
int bpf_probes_map(int config, int shared, int dump);
void bpf_probes_unmap(void);

/* bpf_programs.c */
const struct program *bpf_program_of(const char *name);

/* bpf_kcore.c */
bool bpf_kcore_bases(u64 *vmemmap, u64 *page_offset);

/* bpf_check.c */
struct bpf_object;
struct bpf_program;
struct btf;
void bpf_check_program(const struct btf *kernel, const struct btf *object,
		       const struct bpf_program *program, u64 events);
void bpf_lack_frames(u64 events);
bool bpf_check_wakers(const struct btf *kernel);
void bpf_check_symbols(u64 events, u32 symbols);

/* bpf_clock.c */
u32 bpf_clock_flags(void);
u64 bpf_clock_now(void);
int bpf_clock_show(const char *name, char *text);

/* bpf_ring.c */
unsigned int bpf_nr_cpus(void);
int bpf_ring_create(void);
int bpf_ring_of(unsigned int cpu, bool create);
void bpf_rings_forget(void);
bool bpf_rings_any(void);
int bpf_ring_reset(unsigned int cpu);
int bpf_rings_reset(void);
u64 bpf_rings_bytes(void);
int bpf_wait_for_probes(void);

/**
 * struct mark - How far a snapshot reads a ring.
 * @end:  so many sub-buffers
 * @used: bytes of the last one, which is open; 0: it is closed
 * @now:  clock
 * @dropped: by event: what had found no room then, or when the last one was closed
 */
struct mark {
	u64 end;
	u32 used;
	u64 now;
	u64 dropped[OVNIK_NR_EVENTS];
};

/* bpf_repair.c */
int bpf_rings_close_all(void);
int bpf_rings_mark_all(void);
void bpf_ring_close(unsigned int cpu, void *data);
const struct mark *bpf_ring_mark(unsigned int cpu);

/* bpf_kept.c */
void bpf_kept_limit(u64 bytes);
bool bpf_kept_add(const struct ovnik_subbuf *sb);
int bpf_kept_copy(struct reader *reader, struct ovnik_subbuf *to);
void bpf_kept_count(u64 recorded[OVNIK_NR_EVENTS]);
u64 bpf_kept_bytes(void);
void bpf_kept_all(void *to);
void bpf_kept_forget(void);

/* bpf_drain.c */
extern const struct source bpf_source;
void bpf_rings_stats(unsigned int cpu, struct event_stats stats[OVNIK_NR_EVENTS]);
int bpf_ring_take(unsigned int cpu, const void *data, struct ovnik_subbuf *to);
u32 bpf_subbuf_room(void);

/**
 * struct bpf_refused - A program that the kernel refuses.
 * @name: its name
 * @why:  what the verifier says last; empty if it says nothing
 */
struct bpf_refused {
	char name[64];
	char why[128];
};

/* bpf_log.c */
void bpf_log_begin(void);
void bpf_log_forget(void);
void bpf_log_end(void);
void bpf_log_show(void);
bool bpf_log_refused(struct bpf_refused *refused);

/* bpf_load.c */
int bpf_probes_load(const struct bpf_settings *settings);
void bpf_probes_unload(void);
void bpf_probes_describe(struct json_object *meta);

/* bpf_pin.c */
bool bpf_pins_there(void);
int bpf_pins_open(void);
void bpf_pins_each(void (*fn)(const char *name, int fd));
int bpf_pins_remove(void);

/* bpf_attach.c */
int bpf_probes_attach(const struct bpf_settings *settings);
int bpf_probes_iterate(const char *name, size_t step, int (*after)(void));
int bpf_probes_learn(u64 events);
int bpf_probes_pin(void);
void bpf_probes_each(void (*fn)(const char *name, int fd));

/* bpf_dump.c */
int bpf_dump_into_rings(void);
int bpf_dump_first(void);
int bpf_dump_pin_first(void);
int bpf_dump_take(void);
int bpf_dump_take_last(void);
void bpf_dump_find_last(void);
void bpf_dump_stats(struct event_stats stats[OVNIK_NR_EVENTS]);

/* bpf_missed.c */
void bpf_missed_begin(void);
u64 bpf_missed_describe(struct json_object *meta);

/* bpf_show.c */
int bpf_show(const char *name, char text[CONTROL_TEXT]);

/* bpf.c */
void bpf_switch_off(void);

#endif /* OVNIK_TOOL_BPF_H */
