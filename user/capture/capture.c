// SPDX-License-Identifier: GPL-2.0-only
/* A capture directory: its files, its clock. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/capture.h"
#include "util/msg.h"

/* What the scan of all headers finds. */
struct survey {
	u64 newer;		/* headers of a newer version */
	u16 newest;		/* the newest of them */
	u64 session;		/* candidate for the session of most headers */
	u64 votes;
	u64 untrusted;		/* headers that say the TSC was not trusted */
	u64 constant;		/* headers that say its rate does not change */
	u64 nonstop;		/* headers that say it does not stop in idle */
	u64 crcs;		/* headers with a CRC */
	u64 latest;		/* end of the sub-buffer that was closed last */
	bool to_stop;		/* nothing is missing after it */
	bool began;
};

static int compare_files(const void *a, const void *b)
{
	const struct capture_file *x = a, *y = b;

	if (x->dump != y->dump)
		return x->dump ? 1 : -1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static int open_file(struct capture *cap, const char *name, u32 cpu, const struct meta_cpu *meta)
{
	struct capture_file *file = &cap->files[cap->nr_files];
	struct stat st;
	int error;

	memset(file, 0, sizeof(*file));
	file->cpu = cpu;
	file->dump = !strcmp(name, CAPTURE_DUMP_FILE);
	file->meta = meta;
	if (asprintf(&file->path, "%s/%s", cap->dir, name) < 0) {
		file->path = NULL;
		return -ENOMEM;
	}
	cap->nr_files++;
	cap->nr_cpus += !file->dump;
	file->fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file->fd < 0 || fstat(file->fd, &st)) {
		error = errno;
		cap->damaged = true;
		/* Mostly that is all of them. */
		if (error != EACCES || !cap->denied++)
			msg_warn("%s: cannot read: %s", file->path, strerror(error));
		return 0;
	}
	if (!S_ISREG(st.st_mode)) {
		msg_warn("%s: not a file", file->path);
		cap->damaged = true;
		return 0;
	}
	file->size = st.st_size;
	cap->bytes += file->size;
	return 0;
}

static int open_listed(struct capture *cap)
{
	unsigned int i;
	int ret = 0;

	cap->files = calloc(cap->meta.nr_cpus, sizeof(*cap->files));
	if (!cap->files)
		return -ENOMEM;
	for (i = 0; i < cap->meta.nr_cpus && !ret; i++)
		ret = open_file(cap, cap->meta.cpus[i].file, cap->meta.cpus[i].cpu,
				&cap->meta.cpus[i]);
	return ret;
}

/* "cpu12.ovk": 12; anything else but the statedump: -1. */
static int cpu_of_name(const char *name)
{
	char back[32];
	int cpu;

	if (!strcmp(name, CAPTURE_DUMP_FILE))
		return 0;

	if (sscanf(name, "cpu%5d.ovk", &cpu) != 1 || cpu < 0 || cpu >= META_CPUS_MAX)
		return -1;
	snprintf(back, sizeof(back), "cpu%d.ovk", cpu);
	return strcmp(name, back) ? -1 : cpu;
}

/* Without meta.json, use the files found in the directory. */
static int open_found(struct capture *cap)
{
	struct dirent *entry;
	DIR *dir;
	int ret = 0;

	dir = opendir(cap->dir);
	if (!dir)
		return -errno;
	while (!ret && (entry = readdir(dir))) {
		struct capture_file *more;
		int cpu = cpu_of_name(entry->d_name);

		if (cpu < 0)
			continue;
		more = realloc(cap->files, (cap->nr_files + 1) * sizeof(*more));
		if (!more) {
			ret = -ENOMEM;
			break;
		}
		cap->files = more;
		ret = open_file(cap, entry->d_name, cpu, NULL);
	}
	closedir(dir);
	return ret;
}

static void vote(struct survey *survey, u64 session)
{
	if (!survey->votes)
		survey->session = session;
	if (survey->session == session)
		survey->votes++;
	else
		survey->votes--;
}

static void survey_header(struct capture *cap, struct survey *survey, const struct subbuf *sb)
{
	const struct ovnik_subbuf *h = subbuf_header(sb);
	struct clock_anchor anchor = { .tsc = h->tsc, .ns = h->ns, .width = h->width };

	cap->subbufs++;
	vote(survey, h->session);
	clock_add(&cap->clock, &anchor);
	survey->untrusted += !(h->flags & OVNIK_SB_TSC_TRUSTED);
	survey->constant += !!(h->flags & OVNIK_SB_CONSTANT_TSC);
	survey->crcs += subbuf_has_crc(sb);
	survey->nonstop += !!(h->flags & OVNIK_SB_NONSTOP_TSC);
}

static void survey_file(struct capture *cap, struct survey *survey, struct capture_file *file)
{
	struct subbuf sb;
	u64 offset = 0;
	int ret;

	file->quiet = true;
	while ((ret = subbuf_find(file, offset, &sb)) <= 0) {
		offset = sb.next;
		if (ret == -EPROTO) {
			survey->newer++;
			if (subbuf_header(&sb)->version > survey->newest)
				survey->newest = subbuf_header(&sb)->version;
			continue;
		}
		survey_header(cap, survey, &sb);
	}
}

/* The recorder's last reading of the clock; nothing ends much later. */
static u64 latest_end(struct capture *cap)
{
	u64 latest = 0;
	unsigned int i;

	for (i = 0; i < cap->meta.nr_anchors; i++) {
		if (cap->meta.anchors[i].tsc > latest &&
		    clock_check(&cap->clock, &cap->meta.anchors[i]))
			latest = cap->meta.anchors[i].tsc;
	}
	return latest ? latest + cap->meta.tsc_khz * 1000 : ~0ULL;
}

static void stretch(struct capture *cap, u64 end, u64 latest)
{
	if (end > cap->end && end <= latest && clock_in_range(&cap->clock, end))
		cap->end = end;
}

/* Is a sub-buffer the last one of its CPU, with nothing missing after it? */
static bool lasts_to_stop(const struct capture *cap, const struct capture_file *file,
			  const struct subbuf *sb)
{
	const struct ovnik_subbuf *h = subbuf_header(sb);
	unsigned int i;

	if (sb->next < file->size)
		return false;
	if (!file->meta)
		return true;
	for (i = 0; i < h->nr_events; i++) {
		unsigned int event = cap->meta.layouts.by_number[i].event;

		if (event && file->meta->counts[event].lost > h->lost[i])
			return false;
	}
	/* The last one may be cut short; its header says when it was closed. */
	return sb->offset + h->used >= file->meta->bytes;
}

/*
 * Begin and end, from those headers only that agree with the clock. The time when
 * one was closed is trusted unless the next one contradicts it.
 */
static void note_events(struct capture *cap, const struct subbuf *sb)
{
	const u32 *count = subbuf_count(sb);
	u32 i, nr = subbuf_header(sb)->nr_events;

	for (i = 0; i < nr && i < OVNIK_NR_EVENTS; i++)
		cap->has |= (u64)!!count[i] << i;
}

static void measure_file(struct capture *cap, struct survey *survey, struct capture_file *file)
{
	u64 offset = 0, end = 0, latest = latest_end(cap);
	bool to_stop = false;
	struct subbuf sb;
	int ret;

	while ((ret = subbuf_find(file, offset, &sb)) <= 0) {
		const struct ovnik_subbuf *h = subbuf_header(&sb);
		struct clock_anchor anchor = { .tsc = h->tsc, .ns = h->ns, .width = h->width };

		offset = sb.next;
		if (ret || h->session != cap->session || !clock_check(&cap->clock, &anchor))
			continue;
		if (!survey->began || h->tsc < cap->begin)
			cap->begin = h->tsc;
		survey->began = true;
		note_events(cap, &sb);
		stretch(cap, end < h->tsc ? end : h->tsc, latest);
		end = h->tsc_end;
		to_stop = lasts_to_stop(cap, file, &sb);
	}
	stretch(cap, end, latest);
	if (!file->dump && end > survey->latest && end <= latest) {
		survey->latest = end;
		survey->to_stop = to_stop;
	}
}

/*
 * A CPU that had room until the stop closed its last sub-buffer then. If all CPUs
 * were full before, only the recorder's reading of the clock after the stop says
 * how long events were dropped.
 */
static void stretch_to_stop(struct capture *cap, const struct survey *survey)
{
	unsigned int i;

	if (survey->to_stop)
		return;
	for (i = 0; i < cap->meta.nr_anchors; i++) {
		if (clock_check(&cap->clock, &cap->meta.anchors[i]))
			stretch(cap, cap->meta.anchors[i].tsc, ~0ULL);
	}
}

/* The session of most headers, whatever meta.json says. */
static void choose_session(struct capture *cap, const struct survey *survey)
{
	cap->session = survey->session;
	if (!cap->subbufs || !cap->meta.valid || cap->meta.session == cap->session)
		return;
	msg_warn("%s/" META_FILE ": it is of session %llu, the sub-buffers are of session %llu",
		 cap->dir, cap->meta.session, cap->session);
	cap->damaged = true;
}

/* One header may be damaged; the kernel's verdict is in many. */
static void judge_clock(struct capture *cap, const struct survey *survey)
{
	u64 half = cap->subbufs / 2;

	cap->steady = cap->meta.source != CLOCK_SOURCE_TSC || survey->constant > half;
	cap->nonstop = cap->meta.source != CLOCK_SOURCE_TSC || survey->nonstop > half;
	cap->untrusted = cap->meta.source == CLOCK_SOURCE_TSC &&
			 ((cap->meta.has_trusted && !cap->meta.trusted) ||
			  survey->untrusted > half);
}

/*
 * Who writes meta.json's checksum writes all the others, too. Older recorders wrote a CRC into each
 * sub-buffer, and a copy of what the kernel module gives has none.
 */
static void judge_crc(struct capture *cap, const struct survey *survey)
{
	cap->has_crc = cap->meta.sealed || (survey->crcs && 2 * survey->crcs >= cap->subbufs);
}

/*
 * A flight recorder was started long before what it has. Recorders before 0.2 tell no time of day
 * but that of the start, which is the session.
 */
static u64 find_began(struct capture *cap)
{
	u64 began = cap->session;

	if (cap->meta.nr_walls)
		began = clock_ns(&cap->clock, cap->begin) + meta_wall_offset(&cap->meta.walls[0]);
	return began < CLOCK_NS_MAX ? began : 0;
}

/* Only meta.json has the rate; a short capture has few anchors, near each other. */
static void judge_rate(struct capture *cap)
{
	u64 ppm = cap->clock.rate_ppm;

	if (cap->meta.source != CLOCK_SOURCE_TSC || cap->meta.tsc_khz)
		return;
	if (ppm >= CLOCK_PPM_MAX)
		snprintf(cap->vague, sizeof(cap->vague),
			 "may be wrong by any factor: nothing in the capture says how fast its clock is");
	else
		snprintf(cap->vague, sizeof(cap->vague),
			 "may be wrong by %llu.%04llu %%: only its sub-buffers say how fast its clock is",
			 ppm / 10000, ppm % 10000);
	msg_warn("%s: without " META_FILE ", all times %s", cap->dir, cap->vague);
}

static int survey_files(struct capture *cap)
{
	struct survey survey = { 0 };
	unsigned int i;
	int ret;

	for (i = 0; i < cap->meta.nr_anchors; i++)
		clock_add(&cap->clock, &cap->meta.anchors[i]);
	for (i = 0; i < cap->nr_files; i++)
		survey_file(cap, &survey, &cap->files[i]);
	if (survey.newer && !cap->subbufs) {
		msg_error("%s: the capture has format version %u, this ovnik-decode knows versions up to %u",
			  cap->dir, survey.newest, OVNIK_FORMAT_VERSION);
		return -EPROTO;
	}
	choose_session(cap, &survey);
	ret = clock_fit(&cap->clock);
	if (ret)
		return ret;
	if (cap->clock.measured_khz)
		msg_warn("%s/" META_FILE ": its clock's rate is %llu kHz, but the capture's clock has %llu kHz",
			 cap->dir, cap->clock.tsc_khz, cap->clock.measured_khz);
	for (i = 0; i < cap->nr_files; i++)
		measure_file(cap, &survey, &cap->files[i]);
	stretch_to_stop(cap, &survey);
	cap->began = find_began(cap);
	memset(&cap->clock.residual, 0, sizeof(cap->clock.residual));
	judge_rate(cap);
	judge_clock(cap, &survey);
	judge_crc(cap, &survey);
	return 0;
}

static int refuse(const char *dir, int error, const char *why)
{
	msg_error("%s: %s", dir, why ? why : strerror(-error));
	return error;
}

static bool may_not(const char *path, int mode)
{
	return faccessat(AT_FDCWD, path, mode, AT_EACCESS) && errno == EACCES;
}

/* Said once, before each file says it. What root recorded is root's. */
static int check_rights(const char *dir)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/" META_FILE, dir);
	if (!may_not(dir, R_OK | X_OK) && !may_not(path, R_OK))
		return 0;
	if (stat(dir, &st) || st.st_uid == geteuid())
		return refuse(dir, -EACCES, NULL);
	msg_error("%s: no permission to read it: it belongs to user %u, and you are user %u: use sudo, or take it over with \"sudo chown -R\"",
		  dir, st.st_uid, geteuid());
	return -EACCES;
}

int capture_open(struct capture *cap, const char *dir)
{
	struct stat st;
	int ret;

	memset(cap, 0, sizeof(*cap));
	cap->dir = strdup(dir);
	if (!cap->dir)
		return refuse(dir, -ENOMEM, NULL);
	if (stat(dir, &st))
		return refuse(dir, -errno, NULL);
	if (!S_ISDIR(st.st_mode))
		return refuse(dir, -ENOTDIR, "not a capture: a capture is a directory");
	ret = check_rights(dir) ?: meta_load(&cap->meta, dir);
	if (ret)
		return ret;
	cap->damaged = cap->meta.changed || (!cap->meta.valid && !cap->meta.missing);
	ret = cap->meta.valid ? open_listed(cap) : open_found(cap);
	if (ret)
		return refuse(dir, ret, NULL);
	if (cap->denied > 1)
		msg_warn("%s: %u more of its files cannot be read: no permission",
			 dir, cap->denied - 1);
	if (!cap->nr_cpus)
		return refuse(dir, -ENOENT, "not a capture: no cpuN.ovk in it");
	if (cap->meta.missing)
		msg_warn("%s/" META_FILE ": cannot open: %s; going on without it", dir,
			 strerror(ENOENT));
	qsort(cap->files, cap->nr_files, sizeof(*cap->files), compare_files);
	ret = clock_init(&cap->clock, cap->meta.source, cap->meta.tsc_khz);
	if (!ret)
		ret = survey_files(cap);
	if (ret && ret != -EPROTO)
		refuse(dir, ret, NULL);
	return ret;
}

void capture_close(struct capture *cap)
{
	unsigned int i;

	for (i = 0; i < cap->nr_files; i++) {
		if (cap->files[i].fd >= 0)
			close(cap->files[i].fd);
		free(cap->files[i].path);
	}
	free(cap->files);
	cap->files = NULL;
	cap->nr_files = 0;
	clock_destroy(&cap->clock);
	meta_free(&cap->meta);
	free(cap->dir);
	cap->dir = NULL;
	free(cap->who);
	free(cap->where);
	free(cap->asked);
	cap->who = NULL;
	cap->asked = NULL;
	cap->where = NULL;
}

void capture_begin_pass(struct capture *cap, bool again)
{
	unsigned int i;

	cap->collect = !again;
	cap->next = NULL;
	memset(&cap->stats, 0, sizeof(cap->stats));
	memset(&cap->clock.residual, 0, sizeof(cap->clock.residual));
	for (i = 0; i < cap->nr_files; i++) {
		cap->files[i].quiet = again;
		cap->files[i].damages = 0;
	}
}

u64 capture_records(const struct capture *cap)
{
	u64 records = cap->stats.unknown;
	unsigned int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		records += cap->stats.records[i];
	return records;
}

double capture_seconds(const struct capture *cap, u64 tsc)
{
	struct clock *clock = (struct clock *)&cap->clock;

	return ((double)clock_ns(clock, tsc) - (double)clock_ns(clock, cap->begin)) / 1e9;
}

const char *capture_gap_causes(char *text, u32 causes, const char *sep)
{
	static const char * const names[] = { "lost", "damaged", "missing", "overwritten" };
	const char *between = "";
	unsigned int i;
	char *p = text;

	*p = '\0';
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!(causes & 1U << i))
			continue;
		p += sprintf(p, "%s%s", between, names[i]);
		between = sep;
	}
	return text;
}

u64 capture_damages(const struct capture *cap)
{
	u64 damages = cap->damaged + cap->meta.missing + capture_torn(cap);
	unsigned int i;

	for (i = 0; i < cap->nr_files; i++)
		damages += cap->files[i].damages;
	return damages;
}
