// SPDX-License-Identifier: GPL-2.0-only
/* What selftests have found, by back end. It counts for the kernel and the programs it is of. */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <ovnik_version.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "backend.h"
#include "kept.h"
#include "system.h"
#include "util/file.h"
#include "util/msg.h"

#define DIR		"/var/cache/ovnik"
#define MAX_BYTES	(1 << 20)

/* What decides whether a result is of what is here. */
static const char *const key_names[] = {
	"backend", "kernel", "kernel_version", "ovnik_version", "module", "program",
};

/* Of this process, where it could not be written. */
static struct json_object *kept;

static void path_of(char path[128], const char *end)
{
	snprintf(path, 128, DIR "/selftest-%s.json%s", backend->name, end);
}

static void add_text(struct json_object *to, const char *key, const char *value)
{
	json_object_object_add(to, key, json_object_new_string(value));
}

/**
 * kept_key() - Say what a result is of.
 * @result: the object
 */
void kept_key(struct json_object *result)
{
	char module[64] = "", program[64] = "";
	struct utsname uts = { 0 };
	struct stat st;

	uname(&uts);
	if (backend == &backend_module)
		system_line("/sys/module/ovnik/srcversion", module, sizeof(module));
	/* It has the BPF programs. */
	if (!stat("/proc/self/exe", &st))
		snprintf(program, sizeof(program), "%lld bytes of %lld", (long long)st.st_size,
			 (long long)st.st_mtime);
	add_text(result, "backend", backend->name);
	add_text(result, "kernel", uts.release);
	add_text(result, "kernel_version", uts.version);
	add_text(result, "ovnik_version", OVNIK_VERSION);
	add_text(result, "module", module);
	add_text(result, "program", program);
}

static bool is_of_here(struct json_object *result)
{
	struct json_object *here = json_object_new_object(), *a, *b;
	bool same = json_object_is_type(result, json_type_object);
	unsigned int i;

	kept_key(here);
	for (i = 0; same && i < ARRAY_SIZE(key_names); i++)
		same = json_object_object_get_ex(here, key_names[i], &a) &&
		       json_object_object_get_ex(result, key_names[i], &b) &&
		       json_object_equal(a, b);
	json_object_put(here);
	return same;
}

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	int ret;

	if (fd < 0)
		return errno;
	ret = write_all(fd, text, strlen(text));
	/* Others who may record read it, whatever the umask. */
	fchmod(fd, 0644);
	if (close(fd) && !ret)
		ret = errno;
	return ret;
}

/**
 * kept_write() - Keep a result.
 * @result: it; not the caller's any more
 */
void kept_write(struct json_object *result)
{
	const char *text = json_object_to_json_string_ext(result, JSON_C_TO_STRING_PRETTY);
	char path[128], new[128];
	int error;

	json_object_put(kept);
	kept = result;
	path_of(path, "");
	path_of(new, ".new");
	if (!mkdir(DIR, 0755)) {
		chmod(DIR, 0755);
	} else if (errno != EEXIST) {
		msg_warn(DIR ": %s: the next recording tests it again", strerror(errno));
		return;
	}
	unlink(new);
	error = write_text(new, text);
	if (!error && rename(new, path))
		error = errno;
	if (error)
		msg_warn("%s: %s: the next recording tests it again", path, strerror(error));
}

static char *read_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char *text = fd < 0 ? NULL : malloc(MAX_BYTES + 1);
	ssize_t n = text ? pread_all(fd, text, MAX_BYTES, 0) : -1;

	if (fd >= 0)
		close(fd);
	if (n < 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}

/**
 * kept_read() - Get the last result, if it is of this kernel and these programs.
 *
 * Return: it, which stays this file's; NULL if there is none.
 */
struct json_object *kept_read(void)
{
	char path[128], *text;

	if (kept && is_of_here(kept))
		return kept;
	path_of(path, "");
	text = read_text(path);
	json_object_put(kept);
	kept = text ? json_tokener_parse(text) : NULL;
	free(text);
	return kept && is_of_here(kept) ? kept : NULL;
}
